// @ts-ignore its types are in another package, which may be installed
import express from 'express';
import { made, running, SECRET, seen, TEXT, type Program } from './program.js';

const app = express();
app.use(express.json());
app.get('/note/:id', (_request: any, response: any) => response.json({ text: TEXT }));
app.put('/note/:id', (_request: any, response: any) => response.json({}));
app.post('/note', (request: any, response: any) => {
  made.push(request.body.text);
  const wrong: number = request.body.text satisfies string;
  response.status(201).json({ wrong });
});
app.post('/any', (request: any, response: any) => {
  seen.push(request.body);
  response.json({});
});
app.delete('/session', (_request: any, response: any) => response.json({}));
app.get('/fail', () => { throw new Error(SECRET); });

export const program: Program = {
  typed: 'no',
  start: () => running(app.listen(0, '127.0.0.1')),
};
