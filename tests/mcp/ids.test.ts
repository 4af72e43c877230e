/** The id that a create gives is one that the other tools of its endpoint take. */
import { SchemaValidator } from '../../src/checks/schema-validator.ts';
import { bytes, integerId, reply, stringId, uint64Id, uuidId, wildcardId } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { makeJsonSchema } from '../support/make-document.ts';
import { call, callTool, INFO } from './serve-tools.ts';
import { assert, serve, suite } from '../support/facts.ts';

const UUID = '123e4567-e89b-12d3-a456-426614174000';
const text = { parse: (id: string) => id, format: (id: string) => id };
const bigint = { parse: BigInt, format: String };
const validator = new SchemaValidator({});

const ids = suite('the id of a new item');
for (const [codec, id, given, what] of [
  [integerId, 7, 7, 'integerId, as a number'],
  [integerId, -7, -7, 'integerId, as a number below 0'],
  [integerId, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'integerId, as the largest number'],
  [{ ...text, schema: { type: 'number' } }, '1.5', 1.5, 'a codec of numbers, as a number'],
  [{ ...bigint, schema: { type: 'integer' } }, 7n, 7, 'a codec of integers that are a bigint, as a number'],
  [uint64Id, 7n, '7', 'uint64Id, as a string'],
  [uuidId, UUID, UUID, 'uuidId, as a string'],
  [stringId, '7', '7', 'stringId, as a string'],
  [wildcardId, 'a/7', 'a/7', 'wildcardId, as a string'],
  [text, '7', '7', 'a codec without a schema, as a string'],
] as const) {
  ids(`of ${what}, is an argument of get, by its schema too`, () => serve((server) => {
    server.registerEndpoint('/pet', {
      id: codec, schema: makeJsonSchema({ type: 'object' }),
      create: { tool: true, run: () => id }, get: { tool: true, run: (found: unknown) => ({ isFound: found === id }) },
    } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url }) => {
    const [create, get] = (await call(url, 'tools/list')).json.result.tools;
    const { structuredContent: created } = (await callTool(url, 'petCreate', { body: {} })).json.result;
    assert.equal(created, { id: given });
    assert.is(validator.findIssue(created, create.outputSchema), undefined);
    assert.is(validator.findIssue(created, get.inputSchema), undefined);
    assert.equal((await callTool(url, 'petGet', created)).json.result.structuredContent, { isFound: true });
  }));
}
ids('that a number cannot hold is not rounded', () => serve((server) => {
  server.registerEndpoint('/pet', {
    id: { ...bigint, schema: { type: 'integer' } },
    create: { tool: true, input: makeJsonSchema({}), run: () => 2n ** 60n }, get: { tool: true, run: (id: bigint) => ({ isFound: id === 2n ** 60n }) },
  } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  const { structuredContent: created } = (await callTool(url, 'petCreate', { body: {} })).json.result;
  assert.equal(created, { id: String(2n ** 60n) });
  assert.equal((await callTool(url, 'petGet', created)).json.result.structuredContent, { isFound: true });
}));
ids('is no other text that an operation sends', () => serve((server) => {
  const output = { 200: bytes({ types: ['text/plain'] }) };
  server.registerEndpoint('/pet', { id: integerId, custom: { motto: { tool: true, output, run: () => reply(200, Buffer.from('7'), { 'Content-Type': 'text/plain' }) } } } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  const [motto] = (await call(url, 'tools/list')).json.result.tools;
  const { structuredContent } = (await callTool(url, 'petMotto')).json.result;
  assert.equal(structuredContent, { value: '7' });
  assert.is(validator.findIssue(structuredContent, motto.outputSchema), undefined);
}));
