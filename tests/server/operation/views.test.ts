/** Outputs that depend on the caller. */
import { json } from '../../../src/formats/index.ts';
import { ApiError, ApiServer, defineEndpoint, integerId, reply, stringId, views, type ApiRequest } from '../../../src/index.ts';
import { mcpHandler } from '../../../src/mcp/index.ts';
import { callTool, INFO } from '../../mcp/serve-tools.ts';
import { findOperation, makeDocument, makeJsonSchema } from '../../support/make-document.ts';
import { assert, check, facts, rejections, serve, suite, type Declare } from '../../support/facts.ts';

interface Item { readonly name: string; readonly owner?: string }
interface Caller { readonly role: string }
const Public = ({ name }: Item): { name: string } => ({ name });
const Staff = async ({ name, owner }: Item): Promise<{ name: string; owner: string }> => {
  if (owner === undefined) throw new Error('owner is missing');
  return { name, owner };
};
const AllPublic = (items: readonly Item[]): object[] => items.map(Public);
const AllStaff = (items: readonly Item[]): readonly Item[] => items;
const CHOICES: Readonly<Record<string, () => any>> = {
  staff: () => Staff, stray: () => String, none: () => {}, late: async () => Staff, lost: () => Promise.reject(new Error('lost')),
  bug: () => { throw new Error('no role'); }, teapot: () => { throw ApiError.status(409, 'Not now.'); },
};
const forCaller = views([Staff, Public], ({ context: { role } }: ApiRequest<Caller>) => (Object.hasOwn(CHOICES, role) ? CHOICES[role]!() : Public));
const find = (id: string): Item => ({ name: id, ...(id !== 'stray' && { owner: 'Ann' }) });
const declare: Declare = (server) => server.registerEndpoint('/pet', defineEndpoint({
  id: stringId,
  context: ({ raw }): Caller => ({ role: String(raw.headers['x-role']) }),
  get: { output: forCaller, cache: { maxAgeSeconds: 5 }, run: find },
  list: {
    output: views([AllStaff, AllPublic], ({ context }: ApiRequest<Caller>) => (context.role === 'staff' ? AllStaff : AllPublic)),
    run: () => [find('Rex')],
  },
  update: {
    output: { 200: forCaller, 202: Public, 204: null },
    run: (id) => (id === 'none' ? reply(204) : id === 'late' ? reply(202, find(id)) : reply(200, find(id))),
  },
}));
const test = suite('O29: a view for each caller');
const VARY = ' | Vary: Authorization, Cookie';
const PRIVATE = ' | Cache-Control: private, no-cache';
const bug = (role: string, logged: RegExp): readonly [string, string, string, RegExp] => [
  `choose that is wrong: ${role}`, `PUT /v1/pet/Rex\nX-Role: ${role}`, `500${PRIVATE}`, logged,
];
facts(test, declare, [
  ['the staff', 'GET /v1/pet/Rex\nX-Role: staff', `200 {"name":"Rex","owner":"Ann"} | Cache-Control: private, max-age=5${VARY}`],
  ['everyone else, though the first view accepts the item', 'GET /v1/pet/Rex', `200 {"name":"Rex"} | Cache-Control: private, max-age=5${VARY}`],
  ['its length', 'HEAD /v1/pet/Rex', `200 length 14 | Cache-Control: private, max-age=5${VARY}`],
  ['a list', 'GET /v1/pet', `200 [{"name":"Rex"}]${PRIVATE}`],
  ['a reply', 'PUT /v1/pet/Rex', `200 {"name":"Rex"}${PRIVATE}`],
  ['a reply to the staff', 'PUT /v1/pet/Rex\nX-Role: staff', `200 {"name":"Rex","owner":"Ann"}${PRIVATE}`],
  ['a status with one view', 'PUT /v1/pet/late\nX-Role: staff', `202 {"name":"late"}${PRIVATE}`],
  ['a status without a body', 'PUT /v1/pet/none\nX-Role: stray', `204${PRIVATE}`],
  ['never a second view', 'PUT /v1/pet/stray\nX-Role: staff', `500${PRIVATE}`, /the result does not match output: .*owner is missing/],
  bug('stray', /choose of views must return one of the views/),
  bug('none', /choose of views must return one of the views/),
  bug('late', /choose of views/),
  bug('lost', /choose of views/),
  bug('bug', /no role/),
  bug('teapot', /Not now/),
]);

const described = suite('O29: what is described');
const [one, other] = ['Staff', 'Public'].map((title) => makeJsonSchema({ type: 'object', properties: { [title]: {} } })) as [any, any];
const describe: Declare = (server) => server.registerEndpoint('/pet', { get: { tool: true, output: views([one, other], () => other), run: () => ({ a: 1 }) } });
described('a document has all', () => {
  const schemas = ['Staff', 'Public'].map((title) => ({ type: 'object', properties: { [title]: {} } }));
  assert.equal(Object(findOperation(makeDocument(describe), 'petGet').responses['200']).content, { 'application/json': { schema: { anyOf: schemas } } });
});
described('a tool too', () => serve((server) => {
  describe(server);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  assert.equal((await callTool(url, 'petGet')).json.result.structuredContent, { value: { a: 1 } });
}));
described('with the media types of the server', () => check(describe,
  'GET /v1/pet', '200 application/geo+json {"a":1}', [], { jsonTypes: ['application/geo+json'] }));

const declaring = (endpoint: object) => (): void => {
  new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } }).registerEndpoint('/pet', { id: integerId, ...endpoint } as never);
};
const output = views([one, other], () => one);
const cached = (cache: object): object => ({ get: { output, cache, run: () => 1 } });
rejections(suite('O29: TypeErrors'), [
  ['no function', () => views([one], one), /choose must be a function/],
  ['beside a public cache', declaring(cached({ maxAgeSeconds: 5, scope: 'public' })),
    'endpoint.get.cache must have the scope private: views of its output are for one caller each'],
  ['beside a shared one', declaring(cached({ maxAgeSeconds: 5 })), /cache must have the scope private/],
  ['a wrong view', declaring({ get: { output: views([one, 7 as never], () => one), run: () => 1 } }),
    /^view 2 of endpoint\.get\.output must be a Standard Schema/],
  ['views within views', declaring({ get: { output: views([output as any], () => output as any), run: () => 1 } }),
    /^view 1 of endpoint\.get\.output must be a schema/],
  ['as an input', declaring({ create: { input: output, run: () => 1 } }), /endpoint\.create\.input must be a format with decode/],
  ['as a query', declaring({ list: { query: output, run: () => [] } }), /endpoint\.list\.query must be a schema or a function/],
  ['within json', () => json(output as any, { types: ['application/json'] }), /must be a schema or a function/],
]);
