/**
 * Makes the document of 1,000 endpoints with eight operations each, in a new process, and prints the time that it takes
 * of the processor: with schemas whose JSON Schema costs nothing, and with those of Zod, whose conversion is most of the work then.
 *
 *   node tests/compat/openapi-size.tool.js [plain | zod]   ->   with a name, measures in this process
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ApiServer, defineEndpoint, integerId } from '../../dist/index.js';
import { openApi } from '../../dist/openapi/index.js';
import { checking } from './checks.js';

const ENDPOINTS = 1_000;

/** A Standard Schema with a hand-written Standard JSON Schema. */
function plainSchema(properties) {
  const json = () => ({ type: 'object', properties, required: Object.keys(properties) });
  const validate = (value) => ({ value });
  return { '~standard': { version: 1, vendor: 'plain', validate, jsonSchema: { input: json, output: json } } };
}

/** The schemas of an endpoint: of an item, of a change, of a query and of a portion. No endpoint has those of another. */
const SCHEMAS = {
  plain: (n) => ({
    item: plainSchema({ name: { type: 'string' }, [`legs${n}`]: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } }),
    change: plainSchema({ [`legs${n}`]: { type: 'integer' } }),
    page: plainSchema({ limit: { type: 'integer' }, after: { type: 'string' } }),
    portion: plainSchema({ [`grams${n}`]: { type: 'number' } }),
  }),
  zod: (n) => ({
    item: z.object({ name: z.string(), [`legs${n}`]: z.int(), tags: z.array(z.string()) }),
    change: z.object({ [`legs${n}`]: z.int() }),
    page: z.object({ limit: z.coerce.number().int(), after: z.string() }),
    portion: z.object({ [`grams${n}`]: z.number() }),
  }),
};

function serverOf(schemasOf) {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
  for (let n = 0; n < ENDPOINTS; n += 1) {
    const { item, change, page, portion } = schemasOf(n);
    server.registerEndpoint(`/pet${n}`, defineEndpoint({
      id: integerId,
      schema: item,
      create: () => n,
      list: { query: page, run: () => [] },
      get: () => undefined,
      update: () => {},
      patch: { input: change, run: () => {} },
      delete: () => {},
      custom: { search: { input: change, run: () => [] } },
      itemCustom: { feed: { input: portion, run: () => n } },
    }));
  }
  return server;
}

/** Prints, as JSON, the milliseconds of the processor and of the clock that the first document takes, and its size. */
function measure(schemasOf) {
  const server = serverOf(schemasOf);
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  const document = openApi(server, { info: { title: 'Pets', version: '1' } });
  const { user, system } = process.cpuUsage(cpu);
  const operations = Object.values(document.paths).flatMap(Object.values);
  const schemas = Object.keys(document.components.schemas);
  console.log(JSON.stringify({
    userMs: Math.round(user / 1_000), systemMs: Math.round(system / 1_000), clockMs: Math.round(performance.now() - start),
    operations: operations.length, schemas: schemas.length,
  }));
}

const [, , name] = process.argv;
if (name !== undefined) {
  measure(SCHEMAS[name]);
} else {
  await checking('openapi-size', async (check) => {
    for (const each of Object.keys(SCHEMAS)) {
      await check(`${ENDPOINTS} endpoints with ${each} schemas have all their operations`, () => {
        const text = execFileSync(process.execPath, [fileURLToPath(import.meta.url), each], { encoding: 'utf8' });
        console.log(`      ${text.trim()}`);
        const { operations, schemas } = JSON.parse(text);
        assert.equal(operations, 8 * ENDPOINTS);
        assert.ok(schemas > ENDPOINTS);
      });
    }
  });
}
