import cors from 'cors';
import express from 'express';

const app = express();
const notes = new Map();
let lastId = 0;

class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function noteOf(body) {
  if (typeof body?.text !== 'string') throw new HttpError(400, 'text: expected a string');
  return { text: body.text };
}

function idOf(params) {
  if (!/^\d{1,15}$/.test(params.id)) throw new HttpError(400, 'id: expected a decimal integer');
  return Number(params.id);
}

function stored(id) {
  const note = notes.get(id);
  if (!note) throw new HttpError(404, 'Not found.');
  return note;
}

app.use(cors());
app.use(express.json());

app.post('/v1/note', (req, res) => {
  lastId += 1;
  notes.set(lastId, noteOf(req.body));
  res.status(201).location(`/v1/note/${lastId}`).type('text').send(String(lastId));
});

app.get('/v1/note/:id', (req, res) => {
  res.json(stored(idOf(req.params)));
});

app.put('/v1/note/:id', (req, res) => {
  const id = idOf(req.params);
  const note = noteOf(req.body);
  stored(id);
  notes.set(id, note);
  res.status(204).end();
});

app.post('/v1/note/:id/shout', (req, res) => {
  res.json({ text: stored(idOf(req.params)).text.toUpperCase() });
});

app.use((error, req, res, next) => {
  const status = error.status ?? 500;
  res.status(status).json({ error: status < 500 ? error.message : 'Internal Server Error' });
});

app.listen(8080, '127.0.0.1');
