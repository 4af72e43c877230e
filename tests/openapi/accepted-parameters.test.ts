/** What the schema of a parameter allows, the server accepts, and nothing else: a document that allows more, or less, misleads clients. */
import { SchemaValidator } from '../../src/checks/schema-validator.ts';
import { integerId, stringId, uint64Id, uuidId, wildcardId, type ApiServer } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore, pages } from '../../src/interceptors/index.ts';
import { INFO } from '../support/make-document.ts';
import { openApi, type OpenApiDocument } from '../../src/openapi/index.ts';
import { assert, RawClient, head, serve, suite } from '../support/facts.ts';

const get = (): string => 'found';
interface Item {
  readonly id: number;
  readonly born: string;
}
const list = (): Item[] => [];
const byId = ({ id }: Item): number => id;
const store = memoryIdempotencyStore();
const declare = (server: ApiServer): void => {
  for (const [path, id] of Object.entries({ string: stringId, integer: integerId, uint64: uint64Id, uuid: uuidId, rest: wildcardId, any: { ...wildcardId, emptySegments: true } })) {
    server.registerEndpoint(`/${path}`, { id: id as typeof stringId, get, delete: () => {}, version: () => '1' });
  }
  server.registerEndpoint('/of/:zoo/pet', { params: { zoo: integerId }, get });
  server.registerEndpoint('/key', { custom: { sent: { use: [idempotent(store)], run: get }, needed: { use: [idempotent(store, { required: true })], run: get } } });
  server.registerEndpoint('/page', { id: integerId, list: { use: [pages({ cursor: byId, codec: integerId, prev: true })], run: list } });
  server.registerEndpoint('/text', { id: stringId, list: { use: [pages({ cursor: byId })], run: list } });
  server.registerEndpoint('/sorted', { id: stringId, list: { use: [pages({ cursor: byId, sort: { born: stringId } })], run: list } });
};

const KEYS = [
  '', 'a', '"', '""', '"a"', 'a"', '"a', 'a b', '"a b"', '"a\\"b"', '"a\\b"', '"a\\\\"', '"a";x=1', '"a", "b"', 'ä', '"ä"', '{}', '7f', 'a,b', 'a;b', 'urn:a/b-c', '"\t"', '"~"',
  'a'.repeat(255), 'a'.repeat(256), `"${'a'.repeat(255)}"`, `"${'a'.repeat(256)}"`, `"${'\\"'.repeat(255)}"`, `"${'\\"'.repeat(256)}"`,
];
const TAGS = ['*', '"1"', 'W/"1"', '"1", "2"', '1', '"', ''];
const INTEGERS = ['0', '-0', '1', '01', '-1', '+1', '1.5', '1e3', '0x1', ' 1', '', 'a', '9007199254740991', '9007199254740992', '-9007199254740991', '-9007199254740992'];
const REST = ['a', 'a/b', 'a/b/c', '/', '/a', 'a/', 'a//b', '.', '..', './a', 'a/..', 'a/./b', '...', '.../a', '.a', '..a', 'a.', 'a/.b', '.\\', 'a\\b', 'a b', 'ä', '😀', '%', 'a\r', 'a\n/b', '\0', '\t'];
const segment = (prefix: string) => (value: string): [target: string] => [prefix + value.split('/').map(encodeURIComponent).join('/')];
const query = (path: string, name: string) => (value: string): [target: string] => [`${path}?${name}=${encodeURIComponent(value)}`];
const header = (target: string, name: string) => (value: string): [target: string, header: string] => [target, `${name}: ${Buffer.from(value).toString('latin1')}`];

interface Row {
  readonly operation: readonly [method: string, template: string];
  readonly name: string;
  readonly toRequest: (value: string) => readonly [target: string, header?: string];
  readonly values: readonly string[];
}

const ROWS: readonly Row[] = [
  { operation: ['get', '/string/{id}'], name: 'id', toRequest: (value) => [`/string/${encodeURIComponent(value)}`],
    values: [...REST, ...INTEGERS].filter((value) => value !== '') },
  { operation: ['get', '/rest/{id}'], name: 'id', toRequest: segment('/rest/'), values: REST },
  { operation: ['get', '/rest/{id}'], name: 'id', toRequest: (value) => [`/rest/${encodeURIComponent(value)}`], values: REST },
  { operation: ['get', '/any/{id}'], name: 'id', toRequest: segment('/any/'), values: REST },
  { operation: ['get', '/integer/{id}'], name: 'id', toRequest: segment('/integer/'), values: INTEGERS.filter((value) => value !== '') },
  { operation: ['get', '/of/{zoo}/pet'], name: 'zoo', toRequest: (value) => [`/of/${encodeURIComponent(value)}/pet`],
    values: INTEGERS.filter((value) => value !== '') },
  // The pattern has the number of digits: one of 2^64 itself would have 400 characters.
  { operation: ['get', '/uint64/{id}'], name: 'id', toRequest: segment('/uint64/'),
    values: ['0', '01', '-1', '1.5', '9'.repeat(19), '18446744073709551615', '1'.repeat(21)] },
  { operation: ['get', '/uuid/{id}'], name: 'id', toRequest: segment('/uuid/'), values: ['123e4567-e89b-12d3-a456-426614174000', '123E4567-E89B-12D3-A456-426614174000', '123e4567e89b12d3a456426614174000', 'a', '{123e4567-e89b-12d3-a456-426614174000}'] },
  { operation: ['post', '/key/sent'], name: 'Idempotency-Key', toRequest: header('/key/sent', 'Idempotency-Key'), values: KEYS },
  { operation: ['post', '/key/needed'], name: 'Idempotency-Key', toRequest: header('/key/needed', 'idempotency-key'), values: KEYS },
  { operation: ['delete', '/string/{id}'], name: 'If-Match', toRequest: header('/string/a', 'If-Match'), values: TAGS },
  { operation: ['get', '/string/{id}'], name: 'If-None-Match', toRequest: header('/string/a', 'If-None-Match'), values: TAGS },
  ...['/page', '/text', '/sorted'].map((path): Row => ({ operation: ['get', path], name: 'limit', toRequest: query(path, 'limit'), values: ['1', '0', '-1', '100', '101', '9007199254740991', '1.5', 'a', ''] })),
  ...['after', 'before'].map((name): Row => ({ operation: ['get', '/page'], name, toRequest: query('/page', name), values: INTEGERS })),
  { operation: ['get', '/text'], name: 'after', toRequest: query('/text', 'after'), values: ['a', 'a b', 'ä', ''] },
  { operation: ['get', '/sorted'], name: 'after', toRequest: query('/sorted', 'after'), values: ['WyIiLCI1Il0', '', 'a b', 'WyIiLCI1Il0=', 'a'.repeat(4_097)] },
  { operation: ['get', '/sorted'], name: 'sort', toRequest: query('/sorted', 'sort'), values: ['born', '-born', '+born', '--born', 'Born', ''] },
];

/** What a client has that sends the string: a number for an integer, if it would be written so. */
function toValue(sent: string, { type }: { readonly type?: unknown }): unknown {
  return type === 'integer' && String(Number(sent)) === sent ? Number(sent) : sent;
}

// The validator ignores formats.
const FORMATS: Readonly<Record<string, RegExp>> = { uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i };

const agreement = suite('K2: a parameter of a document');
const findParameter = (document: OpenApiDocument, { operation: [method, template], name }: Row): any => document.paths[template]?.[method]?.parameters?.find((each) => each.name === name);
for (const row of ROWS) {
  const { operation: [method, template], name, toRequest, values } = row;
  agreement(`${name} of ${method.toUpperCase()} ${template}: the schema allows what the server accepts: ${values.length} values, as ${toRequest('x').join(' ')}`, async () => {
    await serve(declare, async ({ server, port }) => {
      const document = openApi(server, { info: INFO });
      const { schema } = findParameter(document, row);
      const allowed = values.filter((value) => new SchemaValidator(document).findIssue(toValue(value, schema), schema) === undefined && FORMATS[schema.format]?.test(value) !== false);
      const accepted: string[] = [];
      for (const value of values) {
        const [target, ...headers] = toRequest(value);
        const client = await RawClient.connect(port);
        client.send(head(method.toUpperCase(), target, [...headers, 'Content-Length: 0', 'Connection: close'].map(String)));
        const { status } = await client.response();
        client.destroy();
        assert.ok([200, 204, 304, 400, 412].includes(status), `${status} for ${JSON.stringify(value)}`);
        if (status !== 400) accepted.push(value);
      }
      assert.equal(accepted, allowed);
      assert.ok(accepted.length > 0);
    }, { root: '' });
  });
}
agreement('is compared, each of them once', () => serve(declare, async ({ server }) => {
  const { paths } = openApi(server, { info: INFO });
  const listed = Object.entries(paths).flatMap(([template, item]) => Object.values(item).flatMap(({ parameters = [] }) => parameters.map(({ name }) => `${template} ${name}`)));
  const compared = ROWS.map(({ operation: [, template], name }) => `${template} ${name}`);
  // The conditions are the same for every item.
  assert.equal(listed.filter((each) => !compared.includes(each) && !/If-(?:None-)?Match$/.test(each)), []);
}, { root: '' }));
