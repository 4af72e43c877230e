import { ApiError, ApiServer, defineEndpoint, defineFormat } from 'restpoint';
import { createDecoder } from 'restpoint/formats';
import { z } from 'zod';

const MAX_LINE = 100;
const Pet = z.tuple([z.string(), z.string().regex(/^\d{1,3}$/, 'expected a whole number')])
  .transform(([name, legs]) => ({ name, legs: Number(legs) }));

async function* splitLines(body: AsyncIterable<Uint8Array>) {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of [...lines, rest]) {
      if (line.length > MAX_LINE) throw ApiError.status(413, `A line must not be longer than ${MAX_LINE} characters.`);
    }
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const csv = (item: typeof Pet) => {
  const decode = createDecoder<z.output<typeof Pet>>(item);
  return defineFormat({
    types: ['text/csv'],
    isSequence: true,
    jsonSchema: (schemaOf) => schemaOf(item),
    decode: async function* (body, _request, { validationStatus: status }) {
      let count = 0;
      for await (const line of splitLines(body)) {
        yield await decode(line.split(','), { at: `/${count}`, status });
        count += 1;
      }
    },
  });
};

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    custom: {
      import: {
        input: csv(Pet),
        limits: { bodyBytes: 1_000 },
        run: async (items) => {
          const pets: z.output<typeof Pet>[] = [];
          for await (const pet of items) pets.push(pet);
          return pets;
        },
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
