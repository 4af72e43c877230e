import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';

const server = new ApiServer('/v1', {
  cors: { origins: '*' },
  formatProblem: ({ title, detail }) => ({ body: { error: detail?.replace(/^Bad arguments: /, '') ?? title } }),
});
const notes = new Map();
let lastId = 0;

function noteOf(body) {
  if (typeof body?.text !== 'string') throw new Error('text: expected a string');
  return { text: body.text };
}

function stored(id) {
  const note = notes.get(id);
  if (!note) throw ApiError.notFound();
  return note;
}

server.registerEndpoints({
  '/note': defineEndpoint({
    id: integerId,
    schema: noteOf,
    create: (note) => {
      lastId += 1;
      notes.set(lastId, note);
      return lastId;
    },
    get: (id) => notes.get(id),
    update: (id, note) => {
      stored(id);
      notes.set(id, note);
    },
    itemCustom: { shout: (id) => ({ text: stored(id).text.toUpperCase() }) },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
