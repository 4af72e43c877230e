import { pipeline } from 'node:stream';
import busboy from 'busboy';
import { ApiError, ApiServer, defineEndpoint, defineFormat, reply } from 'restpoint';

interface Received { field: string; filename: string | undefined; bytes: number }

const form = (limits: busboy.Limits) => defineFormat({
  types: ['multipart/form-data'],
  decode: (body, { raw }) => new Promise<Received[]>((resolve, reject) => {
    const files: Received[] = [];
    const parser = busboy({ headers: raw.headers, limits });
    parser.on('file', (field, stream, { filename }) => {
      let bytes = 0;
      stream.on('data', (chunk: Uint8Array) => (bytes += chunk.length));
      stream.on('limit', () => reject(ApiError.status(413, `${field} is too long.`)));
      stream.on('end', () => files.push({ field, filename, bytes }));
    });
    pipeline(body, parser, (error) => (error ? reject(error) : resolve(files)));
  }),
});

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/upload': defineEndpoint({
    create: {
      input: form({ files: 5, fileSize: 1000 }),
      limits: { bodyBytes: 10_000 },
      run: (files) => reply(200, files),
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
