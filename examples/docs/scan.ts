/** A virus scan of an upload, while the operation reads it. docs/files.md explains it. */
import { buffer } from 'node:stream/consumers';
import { ApiError, ApiServer, bytes, defineEndpoint, stringId, type Interceptor } from 'restpoint';

const SIGNATURE = 'a well-known virus';

async function* scanned(body: AsyncIterable<Uint8Array>) {
  let end = '';
  for await (const chunk of body) {
    // A signature can begin in one chunk, and end in the next.
    const text = end + Buffer.from(chunk).toString('latin1');
    if (text.includes(SIGNATURE)) throw ApiError.status(422, 'The file has a virus.');
    end = text.slice(1 - SIGNATURE.length);
    yield chunk;
  }
}

const scan: Interceptor = {
  errors: { 422: null },
  around: (call, run) => run({}, { input: scanned(call.input as AsyncIterable<Uint8Array>) }),
};

const files = new Map<string, Uint8Array>();
const server = new ApiServer('/v1');
server.registerEndpoints({
  '/file': defineEndpoint({
    id: stringId,
    list: () => [...files.keys()],
    update: {
      input: bytes(),
      use: scan,
      run: async (id, body) => {
        files.set(id, await buffer(body));
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
