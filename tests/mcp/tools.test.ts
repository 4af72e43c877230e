/** The list of tools: names, schemas, hints, pages. */
import { ApiServer, integerId, stringId } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { listTools, ToolSchemas } from '../../src/mcp/tools.ts';
import { makeJsonSchema, run } from '../support/make-document.ts';
import { call, INFO, serveTools } from './serve-tools.ts';
import { assert, serve, suite } from '../support/facts.ts';

function listFor(endpoint: object, subpath = '/pet', options: object = {}): any[] {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} }, ...options });
  server.registerEndpoint(subpath as '/pet', endpoint as never);
  return listTools(server).map((tool) => tool.listed);
}

const tools = suite('a tool');
tools('is listed for each operation with tool, sorted by name', () => serveTools(async ({ url }) => {
  const { json } = await call(url, 'tools/list');
  assert.equal(json.result.tools.map(({ name }: any) => name), [
    'byGet', 'petBroken', 'petCreate', 'petGet', 'petHuge', 'petItemFeed', 'petList', 'petNumber', 'petPatch', 'petPhoto', 'petText', 'petUnpaid', 'petUpdate', 'petZip', 'upload',
  ]);
  assert.is(json.result.nextCursor, undefined);
}));
tools('has the id flat, and query and body nested', () => serveTools(async ({ url }) => {
  const { json } = await call(url, 'tools/list');
  const schemaOf = (name: string): any => json.result.tools.find((each: any) => each.name === name).inputSchema;
  assert.equal(Object.keys(schemaOf('petUpdate').properties), ['id', 'body']);
  assert.equal(schemaOf('petUpdate').required, ['id', 'body']);
  assert.equal(schemaOf('petUpdate').properties.body, { type: 'object', required: ['name'], properties: { name: { type: 'string' } } });
  assert.equal(schemaOf('petList'), {
    type: 'object', additionalProperties: false,
    properties: { query: { type: 'object', properties: { tag: { type: 'array' }, limit: { type: 'string', description: 'How many' } } } },
  });
  assert.equal(schemaOf('upload').properties.body, { type: 'string', contentEncoding: 'base64' });
}));
for (const [name, wrap] of [['petGet', undefined], ['petList', 'items'], ['petCreate', 'id'], ['petNumber', 'value']] as const) {
  tools(`has an object as its output schema: ${name}, ${wrap ?? 'as it is'}`, () => serveTools(async ({ url }) => {
    const { outputSchema } = (await call(url, 'tools/list')).json.result.tools.find((each: any) => each.name === name);
    assert.is(outputSchema.type, 'object');
    assert.equal(Object.keys(outputSchema.anyOf[0].properties), [wrap ?? 'name']);
    assert.equal(outputSchema.anyOf[1].required, ['title', 'status']);
  }));
}
tools('has no output schema if nothing is known of its result, or of problems', () => {
  const get = { tool: true, output: makeJsonSchema({ type: 'object' }), run };
  assert.is('outputSchema' in listFor({ get })[0], true);
  assert.is('outputSchema' in listFor({ get: { tool: true, run } })[0], false);
  assert.is('outputSchema' in listFor({ get: { ...get, output: { 200: get.output, 202: get.output } } })[0], false);
  assert.is('outputSchema' in listFor({ get }, '/pet', { formatProblem: () => ({ body: {} }) })[0], false);
});
for (const [property, readOnlyHint, destructiveHint, idempotentHint] of [
  ['get', true, false, true], ['list', true, false, true], ['create', false, false, false], ['update', false, true, true],
  ['patch', false, true, false], ['delete', false, true, true], ['custom', false, true, false], ['itemCustom', false, true, false],
] as const) {
  tools(`says its hints aloud: ${property}`, () => {
    const operation = { tool: true, ...(['create', 'update', 'patch'].includes(property) && { input: (json: unknown) => json }), run };
    const [tool] = listFor({ id: stringId, [property]: property.endsWith('ustom') ? { feed: operation } : operation });
    assert.equal(tool.annotations, { readOnlyHint, destructiveHint, idempotentHint, openWorldHint: false });
  });
}
for (const [property, annotations, [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]] of [
  ['custom', { readOnlyHint: true }, [true, false, true, false]],
  ['itemCustom', { readOnlyHint: true, openWorldHint: true }, [true, false, true, true]],
  ['custom', { destructiveHint: false, idempotentHint: true }, [false, false, true, false]],
  ['list', { readOnlyHint: false, destructiveHint: false }, [false, false, false, false]],
  ['delete', { idempotentHint: undefined }, [false, true, true, false]],
] as const) {
  tools(`has its own annotations, before those of its kind: ${property} with ${JSON.stringify(annotations)}`, () => {
    const operation = { tool: { annotations }, run };
    const [tool] = listFor({ id: stringId, [property]: property.endsWith('ustom') ? { feed: operation } : operation });
    assert.equal(tool.annotations, { readOnlyHint, destructiveHint, idempotentHint, openWorldHint });
  });
}
tools('has its own name and description, or those of the operation', () => {
  assert.equal(listFor({ get: { tool: { name: 'a.b', description: 'c' }, summary: 'd', run } }).map(({ name, title, description }) => [name, title, description]), [['a.b', 'd', 'c']]);
  assert.equal(listFor({ get: { tool: true, summary: 'd', description: 'e', run } }).map(({ name, description }) => [name, description]), [['petGet', 'd\n\ne']]);
  assert.is(listFor({ get: { tool: true, operationId: '猫', run } })[0].name, 'u732b');
});
tools('keeps query and body apart from parameters with these names', () => {
  const endpoint = { params: { query: stringId, body: stringId }, update: { tool: true, query: makeJsonSchema({ type: 'object', required: ['a'], properties: { a: {} } }), input: makeJsonSchema({}), run } };
  const [{ inputSchema }] = listFor(endpoint, '/x/:query/:body');
  assert.equal(inputSchema.required, ['query', 'body', 'query_', 'body_']);
});
const EITHER = { anyOf: [{ type: 'object', required: ['a'] }, { type: 'object', required: ['b'] }] };
const USED = { query: makeJsonSchema({ type: 'object', properties: { limit: { type: 'integer' } } }), around: (_: unknown, call: () => unknown) => call() };
const decode = (query: unknown): unknown => query;
for (const [what, operation, query] of [
  ['that is not a plain object as one schema', { query: makeJsonSchema(EITHER) }, EITHER],
  ['of an interceptor and one that is not a plain object as one schema', { query: makeJsonSchema(EITHER), use: USED },
    { type: 'object', properties: { limit: { type: 'integer' } }, allOf: [EITHER] }],
  ['of an interceptor alone if nothing is known of its own', { query: decode, use: USED }, { type: 'object', properties: { limit: { type: 'integer' } } }],
  ['of any properties if nothing is known of it', { query: decode }, { type: 'object', properties: {} }],
] as const) {
  tools(`has a query ${what}`, () => {
    const [{ inputSchema }] = listFor({ id: integerId, list: { tool: true, ...operation, run } });
    assert.equal(inputSchema.properties, { query });
  });
}
const LONG = 'x'.repeat(128);
for (const [what, get, remove, message] of [
  ['that the user gives', { tool: { name: 'x' } }, { tool: { name: 'x' } }, 'two tools are named x: aGet and aDelete. Rename one by tool: { name }'],
  ['that is made of another alphabet', { tool: true, operationId: '猫' }, { tool: { name: 'u732b' } },
    'two tools are named u732b: 猫 and aDelete. Rename one by tool: { name }'],
  ['in the 128 characters that it can have', { tool: true, operationId: `${LONG}1` }, { tool: true, operationId: `${LONG}2` },
    `two tools are named ${LONG}: ${LONG}1 and ${LONG}2. Rename one by tool: { name }`],
] as const) {
  tools(`with the name of another is a logged 500 that names both: ${what}`, () => serve((server) => {
    server.registerEndpoint('/a', { get: { ...get, run }, delete: { ...remove, run } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url, errors }) => {
    for (const method of ['tools/list', 'tools/call']) assert.is((await call(url, method)).status, 500);
    assert.equal(errors.map(({ message: logged }) => logged), [message, message].map((each) => `* /mcp: ${each}`));
  }));
}
tools('of 450 operations is on one of three pages, and of a later registration too', () => serve((server) => {
  for (let at = 100; at < 550; at += 1) server.registerEndpoint(`/t${at}`, { id: integerId, get: { tool: true, run } } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url, server }) => {
  const names: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
    const { json } = await call(url, 'tools/list', cursor === undefined ? {} : { cursor });
    names.push(...json.result.tools.map(({ name }: any) => name));
    cursor = json.result.nextCursor;
  }
  assert.is(pages, 3);
  assert.equal(names, Array.from({ length: 450 }, (_, at) => `t${at + 100}Get`));
  server.registerEndpoint('/a', { get: { tool: true, run } } as never);
  assert.is((await call(url, 'tools/list')).json.result.tools[0].name, 'aGet');
}));

const LEAF = { type: 'object', properties: { name: { type: 'string' } } };
const TREE = { type: 'object', properties: { leaf: { $ref: '#/components/schemas/Leaf' }, trees: { items: { $ref: '#/components/schemas/Tree' } } } };
const LARGE = { enum: Array.from({ length: 3000 }, (_, at) => at) };
const schemas = new ToolSchemas({ Leaf: LEAF, Tree: TREE, Large: LARGE, One: { items: { $ref: '#/components/schemas/Other' } }, Other: { items: { $ref: '#/components/schemas/One' } } });

const alone = suite('the schema of a tool');
alone('has components written out', () => {
  assert.equal(schemas.resolve({ items: { $ref: '#/components/schemas/Leaf' } }), { items: LEAF });
  assert.equal(schemas.resolve({ $ref: '#/components/schemas/Leaf', description: 'A leaf' }), { allOf: [LEAF], description: 'A leaf' });
});
alone('has definitions for components that refer to themselves', () => {
  const tree = { type: 'object', properties: { leaf: LEAF, trees: { items: { $ref: '#/$defs/Tree' } } } };
  assert.equal(schemas.resolve({ $ref: '#/components/schemas/Tree' }), { $ref: '#/$defs/Tree', $defs: { Tree: tree } });
  const both = schemas.resolve({ $ref: '#/components/schemas/One' });
  assert.not.match(JSON.stringify(both), /components/);
  assert.ok(Object.keys(both['$defs'] as object).length > 0);
  assert.equal(schemas.resolve({ items: { $ref: '#/components/schemas/Leaf' } }), { items: LEAF });
});
alone('allows each item of a tuple by `items` too, by which readers of draft 7 compare all of them', () => {
  const [name, count] = [{ type: 'string' }, { type: 'integer' }];
  const schemas = new ToolSchemas({});
  assert.equal(schemas.resolve({ prefixItems: [name], items: count }), { prefixItems: [name], items: { anyOf: [name, count] } });
  assert.equal(schemas.resolve({ prefixItems: [name], maxItems: 1 }), { prefixItems: [name], maxItems: 1 });
});
alone('does not have x-mcp-header, since calls are not compared with the header; a property or a value of this name stays', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const values = { default: { 'x-mcp-header': 'Region' }, const: [{ 'x-mcp-header': 'Region' }] };
  const nested = (each: object): any => ({ type: 'object', properties: { region: each, 'x-mcp-header': each }, anyOf: [each], ...values });
  const others = new ToolSchemas({ Region: nested(region) });
  assert.equal(others.resolve(nested(region)), nested({ type: 'string' }));
  assert.equal(others.resolve({ $ref: '#/components/schemas/Region', 'x-mcp-header': 'Region' }), nested({ type: 'string' }));
  const body = makeJsonSchema({ type: 'object', properties: { region } });
  const all = listFor({ id: { ...stringId, schema: region }, update: { tool: true, query: body, input: body, output: body, run } });
  assert.is(JSON.stringify(all).match(/"region"/g)?.length, 3);
  assert.not.match(JSON.stringify(all), 'x-mcp-header');
});
alone('has definitions for large components', () => {
  assert.equal(schemas.resolve({ $ref: '#/components/schemas/Large' }), { $ref: '#/$defs/Large', $defs: { Large: LARGE } });
});
