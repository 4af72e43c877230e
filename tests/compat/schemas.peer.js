/** The parts that JSON does not have, in schemas of three libraries: documents, tools and forms have them as clients send them, and all others. */
import assert from 'node:assert/strict';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { ApiError, ApiServer, stringId } from '../../dist/index.js';
import { form } from '../../dist/formats/index.js';
import { openApi } from '../../dist/openapi/index.js';
import { checking } from './checks.js';

const DATE = { type: 'string', format: 'date-time' };
const BIGINT = { type: 'integer', format: 'int64' };
const FILE = { type: 'string', format: 'binary' };
const LIST = { type: 'array', items: { type: 'string' } };

const length = (text) => text.length;
const SCHEMAS = {
  zod: z.object({
    name: z.string(), born: z.coerce.date(), chip: z.coerce.bigint(), photo: z.instanceof(File), length: z.string().transform(length), tags: z.array(z.string()).readonly(),
  }),
  valibot: toStandardJsonSchema(v.object({
    name: v.string(), born: v.date(), chip: v.bigint(), photo: v.file(), length: v.pipe(v.string(), v.transform(length)), tags: v.array(v.string()),
  })),
  arktype: type({ name: 'string', born: 'Date', chip: 'bigint', photo: 'File', length: type('string').pipe(length), tags: 'string[]' }),
};

/** The properties of the body and of the result, and the messages to `onWarning`. */
function describe(schema) {
  const problems = [];
  const server = new ApiServer('', { logger: { info() {}, error() {} } });
  server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: schema, output: schema, run: () => undefined } } });
  const { paths } = openApi(server, { info: { title: 'Pets', version: '1' }, onWarning: (message) => problems.push(message) });
  const { requestBody, responses } = paths['/pet/feed'].post;
  const [input, output] = [requestBody, responses[200]].map(({ content }) => content['application/json'].schema.properties);
  return { input, output, problems };
}

await checking('a part that JSON does not have', async (check) => {
  for (const [library, schema] of Object.entries(SCHEMAS)) {
    await check(`${library}: all other parts stay, and dates, bigints and files are as clients send them`, () => {
      const { input, output } = describe(schema);
      const same = { name: { type: 'string' }, born: DATE, chip: BIGINT, photo: FILE, tags: LIST };
      assert.deepEqual(input, { ...same, length: { type: 'string' } });
      assert.deepEqual(output, { ...same, length: {} });
    });
    await check(`${library}: one ticked box of a form is a list, beside a file`, async () => {
      const server = new ApiServer('', { logger: { info() {}, error() {} } });
      const fields = [];
      // Accepts everything, with the JSON Schema of the library.
      const decoder = { '~standard': { ...schema['~standard'], validate: (value) => (fields.push(value), { value }) } };
      const input = form(decoder, { files: { photo: {} } });
      server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input, run: () => true } } });
      const body = new FormData();
      body.append('tags', 'a');
      assert.equal((await server.fetch('/pet/feed', { method: 'POST', body })).status, 200);
      assert.deepEqual(fields, [{ tags: ['a'] }]);
    });
  }
});

const TYPES = {
  zod: [z.object({ type: z.literal('/taken'), seat: z.string() }), z.strictObject({ type: z.literal('/closed') })],
  valibot: [v.object({ type: v.literal('/taken'), seat: v.string() }), v.strictObject({ type: v.literal('/closed') })].map(toStandardJsonSchema),
  arktype: [type({ type: "'/taken'", seat: 'string', '+': 'delete' }), type({ type: "'/closed'", '+': 'reject' })],
};

await checking('the errors of a status, by their types', async (check) => {
  for (const [library, errors] of Object.entries(TYPES)) {
    await check(`${library}: each is sent as its schema returns it, and one that no schema accepts has only its status`, async () => {
      const server = new ApiServer('', { logger: { info() {}, error() {} } });
      let thrown;
      server.registerEndpoint('/seat', { get: { errors: { 409: errors }, run: () => { throw thrown; } } });
      for (const [options, own] of [
        [{ type: '/taken', title: 'Taken', extensions: { seat: 'A1', owner: 'Ann' } }, { seat: 'A1' }],
        [{ type: '/closed', title: 'Closed' }, {}],
        [{ type: '/closed', title: 'Closed', extensions: { owner: 'Ann' } }, {}],
        [{ type: '/late', title: 'Late', extensions: { seat: 'A1' } }, {}],
      ]) {
        thrown = ApiError.status(409, 'no', options);
        const { type: name, title } = options;
        assert.deepEqual(await (await server.fetch('/seat')).json(), { type: name, title, status: 409, detail: 'no', ...own });
      }
      const { paths } = openApi(server, { info: { title: 'Seats', version: '1' } });
      const [, { discriminator }] = paths['/seat'].get.responses[409].content['application/problem+json'].schema.allOf;
      assert.deepEqual(discriminator, { propertyName: 'type' });
    });
  }
});
