/** An operation that takes its body as bytes, and requests for it. */
import { bytes, defineEndpoint, stringId, type ApiRequest, type ApiServer, type BytesOptions } from '../../src/index.ts';
import { message } from './messages.ts';

export type Run = (body: AsyncIterable<Uint8Array>, request: ApiRequest) => unknown;

/** Declares `POST /file/put`, which runs this, and `GET /good/:id`. */
export function declareUpload(run: Run, options?: BytesOptions): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/file', defineEndpoint({ id: stringId, custom: { put: { input: bytes(options), run } } }));
    server.registerEndpoint('/good', defineEndpoint({ id: stringId, get: (id) => id }));
  };
}

export async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

/** Resolves to the whole body as text. */
export const readWhole: Run = (body) => readAll(body);

export const UPLOAD = ['POST', '/v1/file/put'] as const;
export const GET_GOOD = message('GET', '/v1/good/1', '', ['Connection: close']);
