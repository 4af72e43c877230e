/** Creates a note, and prints all notes. Needs a running server: `npm start` in another terminal. URL is its address and root. */
import { client } from 'restpoint/client';
import type { Api } from './server.ts';

const notes = client<Api>(process.env.URL || 'http://127.0.0.1:8080/v1')('/note');

const id = await notes.create({ text: 'buy milk' });
for (const note of await notes.list()) console.log(note.text, note.id === id ? '(new)' : '');
