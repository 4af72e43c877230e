/** Forms: multipart and urlencoded, as the input of an operation. */
import { form, type FormOptions } from '../../src/formats/index.ts';
import { type ApiServer, defineEndpoint, type Interceptor, type StandardSchemaV1 } from '../../src/index.ts';
import { BOUNDARY, filePart, multipart, MULTIPART, part, rawPart, URL_ENCODED } from '../support/forms.ts';
import { makeJsonSchema } from '../support/make-document.ts';
import { assert, badRequest, chunkedMessage, encodeUtf8, isTypeError, message, RawClient, readProblem, send, serve, type ServeOptions, suite } from '../support/facts.ts';

const TAKE = ['POST', '/v1/pet/take'] as const;
const FILES: FormOptions = { files: { photo: {}, scans: { types: ['image/png', 'application/pdf'], maxBytes: 4 } }, lists: ['tag', 'scans'] };

/** A file as JSON. */
async function showField(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(showField));
  return value instanceof File ? { name: value.name, type: value.type, text: Buffer.from(await value.arrayBuffer()).toString('latin1') } : value;
}

async function show(fields: object): Promise<unknown> {
  const entries = Object.entries(fields).map(async ([name, value]) => [name, await showField(value)] as const);
  return Object.fromEntries(await Promise.all(entries)) as unknown;
}

/** Whatever a form has. */
const anyForm = (fields: any): object => fields as object;

function declareForm(options: FormOptions = FILES, schema: StandardSchemaV1<any, object> | typeof anyForm = anyForm, bodyBytes = 2 ** 20): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/pet', defineEndpoint({
    custom: { take: { input: form(schema as typeof anyForm, options), limits: { bodyBytes }, run: show } },
  }));
}

interface Sent {
  readonly body: string;
  readonly headers?: readonly string[];
  readonly declare?: (server: ApiServer) => void;
  readonly options?: ServeOptions;
}

async function sendForm({ body, headers = MULTIPART, declare = declareForm(), options = {} }: Sent): Promise<{ readonly status: number; readonly json: unknown }> {
  let result: { readonly status: number; readonly json: unknown } | undefined;
  await serve(declare, async ({ port }) => {
    const response = await send(port, Buffer.from(message(...TAKE, body, headers), 'latin1'));
    result = { status: response.status, json: response.status < 400 ? JSON.parse(Buffer.from(response.body, 'latin1').toString()) : readProblem(response) };
  }, options);
  return result as NonNullable<typeof result>;
}

const ONE_BOUNDARY = 'the Content-Type of the form must have one valid boundary';
const WRONG_TYPE = 'the file must be image/png or application/pdf';

const read = suite('F13: a form that is read');
const PNG = { name: 'a.png', type: 'image/png', text: 'x' };
for (const { why, body, expected, headers, options } of [
  { why: 'a string', body: multipart(part('name', 'Rex')), expected: { name: 'Rex' } },
  { why: 'a file', body: multipart(filePart('photo', 'x')), expected: { photo: PNG } },
  { why: 'a name that comes twice is a list', body: multipart(part('a', '1'), part('a', '2')), expected: { a: ['1', '2'] } },
  { why: 'a name in lists is a list', body: multipart(part('tag', '1')), expected: { tag: ['1'] } },
  { why: 'so are files', body: multipart(filePart('scans', 'x')), expected: { scans: [PNG] } },
  { why: 'a name in lists with brackets, as PHP and Rails have it, is the same list',
    body: multipart(part('tag[]', '1'), part('tag', '2'), part('b[]', '3')), expected: { tag: ['1', '2'], 'b[]': '3' } },
  { why: 'so it is of files', body: multipart(filePart('scans[]', 'x')), expected: { scans: [PNG] } },
  { why: 'a file that comes twice is a list', body: multipart(filePart('photo', 'x'), filePart('photo', 'x')), expected: { photo: [PNG, PNG] } },
  { why: 'a file input without a choice is left out', body: multipart(filePart('photo', '', '', 'application/octet-stream')), expected: {} },
  { why: 'an empty file with a name is a file', body: multipart(filePart('photo', '')), expected: { photo: { ...PNG, text: '' } } },
  { why: 'an empty form', body: multipart(), expected: {} },
  { why: 'an empty string', body: multipart(part('name', '')), expected: { name: '' } },
  { why: 'UTF-8', body: multipart(part(encodeUtf8('\u00fcber'), encodeUtf8('J\u00fcrgen \ufffd'))), expected: { '\u00fcber': 'J\u00fcrgen \ufffd' } },
  { why: 'names of the language itself', body: multipart(part('constructor', '1'), part('toString', '2')), expected: { constructor: '1', toString: '2' } },
  { why: 'bytes of any kind in a file', body: multipart(filePart('photo', '\0\xff\r\n--\r\n')), expected: { photo: { ...PNG, text: '\0\xff\r\n--\r\n' } } },
  { why: 'a file name with a path is passed on, and leads nowhere',
    body: multipart(filePart('photo', 'x', '../../a.png')), expected: { photo: { ...PNG, name: '../../a.png' } } },
  { why: 'a form within a form is a string', body: multipart(part('name', '--y\r\n\r\nz\r\n--y--', '\r\nContent-Type: multipart/mixed; boundary=y')),
    expected: { name: '--y\r\n\r\nz\r\n--y--' } },
  { why: 'headers in any case and order',
    body: multipart(rawPart('content-type: text/plain\r\ncontent-disposition: form-data; name="a"', '1')), expected: { a: '1' } },
  { why: 'a head of 16 lines', body: multipart(part('a', '1', '\r\nX-A: b'.repeat(15))), expected: { a: '1' } },
  { why: 'a quoted boundary', body: multipart(part('a', '1')),
    headers: [`Content-Type: multipart/form-data; charset=utf-8; boundary="${BOUNDARY}"`], expected: { a: '1' } },
  { why: 'no line end after the last boundary', body: multipart(part('a', '1')).trimEnd(), expected: { a: '1' } },
  { why: 'a short boundary', body: '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
    headers: ['Content-Type: multipart/form-data; boundary=x'], expected: { a: '1' } },
  { why: 'a boundary that is in a name and a string', body: '--a\r\nContent-Disposition: form-data; name="a"\r\n\r\n-a--a--aa\r\n--a--',
    headers: ['Content-Type: multipart/form-data; boundary=a'], expected: { a: '-a--a--aa' } },
  { why: 'a boundary with all of its characters', body: "--'()+_,-./:=?\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--'()+_,-./:=?--",
    headers: ['Content-Type: multipart/form-data; boundary="\'()+_,-./:=?"'], expected: { a: '1' } },
  { why: 'a line end before the first boundary', body: `\r\n${multipart(part('a', '1'))}`, expected: { a: '1' } },
  { why: 'urlencoded', body: 'name=R%C3%AAx+y&a=1&a=2&b&&c=&d=e=f', headers: URL_ENCODED,
    options: { lists: ['b'] }, expected: { b: [''], name: 'R\u00eax y', a: ['1', '2'], c: '', d: 'e=f' } },
  { why: 'urlencoded, a plus and what stands for a space', body: `a+%2B+b=${'+'.repeat(10_000)}&c=%2b+%20+`,
    headers: URL_ENCODED, options: {}, expected: { 'a + b': ' '.repeat(10_000), c: '+   ' } },
  { why: 'urlencoded, with brackets', body: 'tag%5B%5D=1&tag[]=2&__proto__[]=3', headers: URL_ENCODED,
    options: { lists: ['tag'] }, expected: { tag: ['1', '2'], '__proto__[]': '3' } },
  { why: 'urlencoded, empty', body: '', headers: [...URL_ENCODED, 'Content-Length: 0'], options: {}, expected: {} },
  { why: 'urlencoded, with the bytes of UTF-8', body: encodeUtf8('a=\u00fc\ufffd'),
    headers: ['Content-Type: application/x-www-form-urlencoded;charset=UTF-8'], options: {}, expected: { a: '\u00fc\ufffd' } },
] as const satisfies readonly (Sent & { readonly why: string; readonly expected: object; readonly options?: FormOptions })[] as readonly (Omit<Sent, 'options'> & { readonly why: string; readonly expected: object; readonly options?: FormOptions })[]) {
  read(why, async () => assert.equal(await sendForm({ body, ...(headers && { headers }), declare: declareForm(options) }), { status: 200, json: expected }));
}
read('an interceptor keeps the bytes of an urlencoded form as they were sent', async () => {
  const bodies: string[] = [];
  const keeping: Interceptor = {
    ...{ ' internal': { readsBody: true } },
    around: async (call, run) => {
      const result = await run();
      bodies.push(Buffer.from(call.body ?? []).toString());
      return result;
    },
  };
  const declare = (server: ApiServer): void => server.registerEndpoint('/pet', defineEndpoint({ custom: { take: { input: form(anyForm), use: keeping, run: show } } }));
  assert.equal(await sendForm({ body: 'a=1+2', headers: URL_ENCODED, declare }), { status: 200, json: { a: '1 2' } });
  assert.equal(bodies, ['a=1+2']);
});
read('a list with a name of the language itself', async () => {
  const { json } = await sendForm({ body: multipart(part('constructor', '1')), declare: declareForm({ lists: ['constructor'] }) });
  assert.is(JSON.stringify(json), '{"constructor":["1"]}');
});
read('in pieces', () => serve(declareForm({}), async ({ port }) => {
  const { status, body } = await send(port, chunkedMessage(...TAKE, multipart(part('a', '1')), MULTIPART));
  assert.equal([status, body], [200, '{"a":"1"}']);
}));
read('as what the schema makes of it; what it rejects has a pointer, and the status for that', async () => {
  const schema: StandardSchemaV1<any, object> = {
    '~standard': {
      version: 1, vendor: 'tests',
      validate: (fields: any) => (fields.legs === '4' ? { value: { legs: 4 } } : { issues: [{ message: 'not 4', path: ['owner', 'legs'] }] }),
    },
  };
  const declare = declareForm({}, schema);
  assert.equal(await sendForm({ body: 'legs=4', headers: URL_ENCODED, declare }), { status: 200, json: { legs: 4 } });
  const { status, json } = await sendForm({ body: multipart(part('legs', '5')), declare, options: { validationStatus: 422 } });
  assert.is(status, 422);
  assert.equal((json as { readonly errors: unknown }).errors, [{ detail: 'not 4', pointer: '#/owner/legs' }]);
});

const LISTS = {
  type: 'object', required: ['all'],
  properties: {
    all: { type: 'array' }, some: { $ref: '#/$defs/Some' }, one: { type: 'string' }, cycle: { $ref: '#/$defs/Cycle' },
    nullish: { anyOf: [{ type: 'array' }, { type: 'null' }] }, typed: { type: ['array', 'null'] }, mixed: { anyOf: [{ type: 'array' }, { type: 'string' }] },
  },
  $defs: { Some: { type: 'array' }, Cycle: { $ref: '#/$defs/Cycle' } },
};
for (const { why, jsonSchema, body, expected } of [
  { why: 'by its JSON Schema, a field that comes once', jsonSchema: () => LISTS,
    body: 'all=1&some=2&one=3&cycle=4', expected: { all: ['1'], some: ['2'], one: '3', cycle: '4' } },
  { why: 'a list that must be there is empty, and one that may be missing is missing', jsonSchema: () => LISTS, body: 'one=3', expected: { all: [], one: '3' } },
  { why: 'that can be null', jsonSchema: () => LISTS, body: 'nullish=1&typed=2', expected: { all: [], nullish: ['1'], typed: ['2'] } },
  { why: 'not if it can be a string', jsonSchema: () => LISTS, body: 'mixed=1', expected: { all: [], mixed: '1' } },
  { why: 'of each alternative', jsonSchema: () => ({ oneOf: [LISTS, { ...LISTS, required: [] }], $defs: LISTS.$defs }),
    body: 'some=1&one=2', expected: { some: ['1'], one: '2' } },
  { why: 'that all alternatives require', jsonSchema: () => ({ anyOf: [LISTS, LISTS], $defs: LISTS.$defs }), body: 'some=1', expected: { all: [], some: ['1'] } },
  { why: 'of a part', jsonSchema: () => ({ allOf: [{ type: 'object' }, LISTS], $defs: LISTS.$defs }), body: 'some=1', expected: { all: [], some: ['1'] } },
  { why: 'not where a library has no JSON Schema of it', jsonSchema: () => { throw new Error('a file'); }, body: 'all=1', expected: { all: '1' } },
  { why: 'not by a JSON Schema of any object', jsonSchema: () => true, body: 'all=1', expected: { all: '1' } },
]) {
  read(`a list: ${why}`, async () => {
    const schema = { '~standard': { version: 1, vendor: 'tests', validate: (value: unknown) => ({ value: value as object }), jsonSchema: { input: jsonSchema } } } as const;
    assert.equal(await sendForm({ body, headers: URL_ENCODED, declare: declareForm({}, schema) }), { status: 200, json: expected });
  });
}

const NOT_A_FIELD = 'the form has a part that is not a field';
const malformed = suite('F14: a form that is malformed');
for (const { why, body, detail, headers, pointer = '#', files = true } of [
  { why: 'no boundary', body: multipart(), headers: ['Content-Type: multipart/form-data'], detail: ONE_BOUNDARY },
  { why: 'two boundaries', body: multipart(), headers: [`${MULTIPART[0]}; boundary=x`], detail: ONE_BOUNDARY },
  { why: 'an empty boundary', body: '--\r\n\r\n--', headers: ['Content-Type: multipart/form-data; boundary=""'], detail: ONE_BOUNDARY },
  { why: 'a boundary of 71 characters', body: 'x', headers: [`Content-Type: multipart/form-data; boundary=${'b'.repeat(71)}`], detail: ONE_BOUNDARY },
  { why: 'a boundary with other characters', body: 'x', headers: ['Content-Type: multipart/form-data; boundary="\\"\xe9"'], detail: ONE_BOUNDARY },
  { why: 'no bytes', body: '', headers: [...MULTIPART, 'Content-Length: 0'], detail: 'the form must begin with its boundary' },
  { why: 'another boundary', body: multipart(part('a', '1')).replaceAll(BOUNDARY, 'other'), detail: 'the form must begin with its boundary' },
  { why: 'text before the first boundary', body: `hello\r\n${multipart(part('a', '1'))}`, detail: 'the form must begin with its boundary' },
  { why: 'text after the last boundary', body: `${multipart(part('a', '1'))}bye`, detail: 'the form goes on after its last boundary' },
  { why: 'no last boundary', body: part('a', '1'), detail: 'the form ends too early' },
  { why: 'cut within the last boundary', body: multipart(part('a', '1')).slice(0, -4), detail: 'the form ends too early' },
  { why: 'cut within a file', body: multipart(filePart('photo', 'x'.repeat(100))).slice(0, 150), detail: 'the form ends too early' },
  { why: 'line feeds alone', body: multipart(part('a', '1')).replaceAll('\r\n', '\n'), detail: 'the form ends too early' },
  { why: 'spaces after a boundary', body: multipart(part('a', '1')).replace(`${BOUNDARY}\r`, `${BOUNDARY} \r`), detail: NOT_A_FIELD },
  { why: 'a part without a head', body: multipart(`--${BOUNDARY}\r\n\r\n1\r\n`), detail: NOT_A_FIELD },
  { why: 'a part of nothing', body: multipart(`--${BOUNDARY}\r\n`), detail: NOT_A_FIELD },
  { why: 'a head without an end', body: multipart(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n`), detail: NOT_A_FIELD },
  { why: 'a part without a Content-Disposition', body: multipart(rawPart('Content-Type: text/plain', '1')), detail: NOT_A_FIELD },
  { why: 'two of them', body: multipart(part('a', '1', '\r\nContent-Disposition: form-data; name="b"')), detail: NOT_A_FIELD },
  { why: 'an attachment', body: multipart(rawPart('Content-Disposition: attachment; name="a"', '1')), detail: NOT_A_FIELD },
  { why: 'a name without its quote', body: multipart(rawPart('Content-Disposition: form-data; name="a', '1')), detail: NOT_A_FIELD },
  { why: 'no name', body: multipart(rawPart('Content-Disposition: form-data; filename="a"', '1')), detail: 'the form has a part without a name' },
  { why: 'an empty name', body: multipart(part('', '1')), detail: 'the form has a part without a name' },
  { why: 'two names', body: multipart(part('a', '1', '; name="b"')), detail: 'the form has a part without a name' },
  { why: 'a NUL in a name', body: multipart(part('a\0b', '1')), detail: NOT_A_FIELD },
  { why: 'a NUL in the name of a file', body: multipart(filePart('photo', 'x', 'a\0.png')), detail: NOT_A_FIELD },
  { why: 'a line feed in the name of a file', body: multipart(filePart('photo', 'x', 'a\n.png')), detail: NOT_A_FIELD },
  { why: 'a line end in the name of a file', body: multipart(filePart('photo', 'x', 'a\r\nX-A: b')), detail: NOT_A_FIELD },
  { why: 'a name that is not UTF-8', body: multipart(part('\xff', '1')), detail: 'the head of a part must be UTF-8' },
  { why: 'a head of 16 KiB', body: multipart(part('a', '1', `\r\nX-A: ${'a'.repeat(16_384)}`)), detail: 'a part of the form has too long a head' },
  { why: 'a head of 17 lines', body: multipart(part('a', '1', '\r\nX-A: b'.repeat(16))), detail: 'a part of the form has too long a head' },
  { why: 'a name with nine parameters', body: multipart(part('a', '1', '; b=c'.repeat(8))), detail: NOT_A_FIELD },
  { why: 'a string that is not UTF-8', body: multipart(part('a', '\xff')), detail: 'a field must be UTF-8', pointer: '#/a' },
  { why: 'a string in a different charset', body: multipart(part('a', 'h\xe9', '\r\nContent-Type: text/plain; charset=iso-8859-1')),
    detail: 'a field must be UTF-8', pointer: '#/a' },
  { why: 'a byte order mark', body: multipart(part('a/b', '\xef\xbb\xbfx')), detail: 'a field must be UTF-8', pointer: '#/a~1b' },
  { why: 'a boundary that is only a beginning', body: multipart(part('a', `1\r\n--${BOUNDARY}x`)), detail: NOT_A_FIELD },
  { why: 'a field named __proto__', body: multipart(part('__proto__', '1')), detail: 'the form has a field named "__proto__"', pointer: '#/__proto__' },
  { why: 'a string where a file is declared', body: multipart(part('photo', 'x')), detail: 'this field must be a file', pointer: '#/photo' },
  { why: 'a file that is not declared', body: multipart(filePart('name', 'x')), detail: 'this field must not be a file', pointer: '#/name' },
  { why: 'a file of a wrong type', body: multipart(filePart('scans', 'x', 'a.gif', 'image/gif')), detail: WRONG_TYPE, pointer: '#/scans' },
  { why: 'a file of a type that is none', body: multipart(filePart('scans', 'x', 'a.gif', 'png')), detail: WRONG_TYPE, pointer: '#/scans' },
  { why: 'urlencoded, a broken escape', body: 'a=%zz', headers: URL_ENCODED, files: false, detail: 'the form is not percent-encoded UTF-8' },
  { why: 'urlencoded, escapes of no UTF-8', body: '%ff=1', headers: URL_ENCODED, files: false, detail: 'the form is not percent-encoded UTF-8' },
  { why: 'urlencoded, bytes of no UTF-8', body: 'a=\xff', headers: URL_ENCODED, files: false, detail: 'the form must be UTF-8' },
  { why: 'urlencoded, a different charset', body: 'a=1', headers: [`${URL_ENCODED[0]}; charset=iso-8859-1`], files: false, detail: 'the form must be UTF-8' },
  { why: 'urlencoded, two charsets', body: 'a=1', headers: [`${URL_ENCODED[0]}; charset=utf-8; charset=iso-8859-1`],
    files: false, detail: 'the form must be UTF-8' },
  { why: 'urlencoded, a field named __proto__', body: 'a=1&__proto__=2', headers: URL_ENCODED,
    files: false, detail: 'the form has a field named "__proto__"', pointer: '#/__proto__' },
] as readonly (Sent & { readonly why: string; readonly detail: string; readonly pointer?: string; readonly files?: boolean })[]) {
  malformed(`${why} -> 400`, async () => {
    assert.equal(await sendForm({ body, ...(headers && { headers }), declare: declareForm(files ? FILES : {}) }),
      { status: 400, json: badRequest(detail, { pointer }) });
  });
}
malformed('cut at any byte -> 400', () => serve(declareForm(), async ({ port }) => {
  const whole = multipart(part('name', 'Rex'), filePart('photo', '\xff\r\n'));
  const statuses = new Set<number>();
  // Without its last line end, it is whole.
  const client = await RawClient.connect(port);
  for (let length = 1; length < whole.length - 2; length += 1) {
    client.send(message(...TAKE, whole.slice(0, length), MULTIPART));
    statuses.add((await client.response()).status);
  }
  client.destroy();
  assert.equal([...statuses], [400]);
}));

const large = suite('F15: a form that is too large');
for (const { why, body, detail, headers, options } of [
  { why: '1,000 parts', body: multipart(part('a', '').repeat(1001)), options: {}, detail: 'A form must not have more than 1000 parts.' },
  { why: '1,000 pairs', body: 'a&'.repeat(1000), headers: URL_ENCODED, options: {}, detail: 'A form must not have more than 1000 parts.' },
  { why: 'files', body: multipart(filePart('photo', 'x').repeat(101)), options: FILES, detail: 'A form must not have more than 100 files.' },
  { why: 'bytes of a file', body: multipart(filePart('photo', 'xxx')),
    options: { ...FILES, fileBytes: 2 }, detail: 'The file photo must not be longer than 2 bytes.' },
  { why: 'bytes of a file with its own limit', body: multipart(filePart('scans', 'xxxxx')),
    options: { ...FILES, fileBytes: 2 }, detail: 'The file scans must not be longer than 4 bytes.' },
] as readonly (Omit<Sent, 'options'> & { readonly why: string; readonly detail: string; readonly options: FormOptions })[]) {
  large(`${why} -> 413`, async () => {
    assert.equal(await sendForm({ body, ...(headers && { headers }), declare: declareForm(options) }),
      { status: 413, json: { type: 'about:blank', title: 'Content Too Large', status: 413, detail } });
  });
}
large('as many parts, files and bytes as allowed -> 200', async () => {
  const body = multipart(filePart('scans', 'xxxx').repeat(100), part('a', '1').repeat(900));
  assert.is((await sendForm({ body, declare: declareForm(FILES) })).status, 200);
  assert.is((await sendForm({ body: `a${'&a'.repeat(999)}`, headers: URL_ENCODED, declare: declareForm({}) })).status, 200);
});
large('10,000 parts and pairs: rejected before the platform parses them', async () => {
  const { Response: platform } = globalThis;
  // Whoever parses a form makes one.
  let made = 0;
  globalThis.Response = class extends platform { constructor(...args: ConstructorParameters<typeof platform>) { super(...args); made += 1; } };
  try {
    assert.is((await sendForm({ body: multipart(part('a', '').repeat(10_000)), declare: declareForm({}, anyForm, 2 ** 24) })).status, 413);
    assert.is((await sendForm({ body: 'a=&'.repeat(10_000), headers: URL_ENCODED, declare: declareForm() })).status, 415);
    assert.is((await sendForm({ body: 'a=&'.repeat(10_000), headers: URL_ENCODED, declare: declareForm({}) })).status, 413);
    assert.is(made, 0);
  } finally {
    globalThis.Response = platform;
  }
});
large('bodyBytes holds for the whole form', async () => {
  assert.is((await sendForm({ body: multipart(part('a', 'x'.repeat(2000))), declare: declareForm({}, anyForm, 1000) })).status, 413);
});

const engines = suite('F14: a platform that reads a form differently than its bytes say');
for (const { why, entries, detail, pointer = '#' } of [
  { why: 'it throws', entries: undefined, detail: NOT_A_FIELD },
  { why: 'it drops a part', entries: [['name', 'Rex']], detail: NOT_A_FIELD },
  { why: 'it adds one', entries: [['name', 'Rex'], ['photo', new File(['x'], 'a')], ['b', '']], detail: NOT_A_FIELD },
  { why: 'it takes a file for a string', entries: [['name', 'Rex'], ['photo; filename=a', 'x']], detail: NOT_A_FIELD },
  { why: 'it decodes a file', entries: [['name', 'Rex'], ['photo', new File(['xyz'], 'a')]], detail: 'a file must not be encoded', pointer: '#/photo' },
] as readonly { readonly why: string; readonly entries: readonly (readonly [string, string | File])[] | undefined; readonly detail: string; readonly pointer?: string }[]) {
  engines(`${why} -> 400`, async () => {
    const { Response: platform } = globalThis;
    globalThis.Response = class { formData = async () => entries; } as unknown as typeof platform;
    try {
      assert.equal(await sendForm({ body: multipart(part('name', 'Rex'), filePart('photo', 'x')) }), { status: 400, json: badRequest(detail, { pointer }) });
    } finally {
      globalThis.Response = platform;
    }
  });
}

const access = suite('F16: a form of a page');
for (const { why, headers, status } of [
  { why: 'of this origin', headers: ['Sec-Fetch-Site: same-origin'], status: 200 },
  { why: 'of a different origin', headers: ['Sec-Fetch-Site: cross-site'], status: 415 },
  { why: 'of a different origin, by Origin', headers: ['Origin: https://evil.example'], status: 415 },
  { why: 'of a different origin, with a token', headers: ['Sec-Fetch-Site: cross-site', 'Authorization: Bearer secret'], status: 200 },
]) {
  access(`${why} -> ${status}`, async () => {
    for (const sent of [{ body: multipart(part('a', '1')), headers: MULTIPART }, { body: 'a=1', headers: URL_ENCODED }]) {
      assert.is((await sendForm({ ...sent, headers: [...sent.headers, ...headers], declare: declareForm({}) })).status, status);
    }
  });
}
for (const [type, status] of [['application/json', 415], ['text/plain', 415], ['multipart/mixed; boundary=x', 415], ['', 415]] as const) {
  access(`${type} is not a form -> ${status}`, async () => {
    assert.is((await sendForm({ body: '{}', headers: type === '' ? [] : [`Content-Type: ${type}`] })).status, status);
  });
}
access('with files, it cannot be urlencoded -> 415', async () => assert.is((await sendForm({ body: 'photo=a.png', headers: URL_ENCODED })).status, 415));

const mistakes = suite('a form that is declared wrongly');
for (const [options, message] of [
  [{ files: ['photo'] }, 'options.files.0 must be an object: photo'],
  [{ files: { photo: { type: 'image/png' } } }, 'unknown option options.files.photo.type: did you mean types? It can be one of types, maxBytes'],
  [{ files: { photo: { types: ['png'] } } }, 'a type must be a media type, such as image/png or image/*: "png"'],
  [{ files: { photo: { maxBytes: -1 } } }, 'options.files.photo.maxBytes must be a whole number from 0 to 536870888: -1'],
  [{ files: 7 }, 'options.files must be an object: 7'],
  [{ lists: 'tag' }, 'options.lists must be a list of strings: tag'],
  [{ fileBytes: '1' }, 'options.fileBytes must be a whole number from 0 to Infinity: 1'],
  [{ parts: 1 }, 'unknown option options.parts: it can be one of files, lists, fileBytes'],
] as const) {
  mistakes(`${JSON.stringify(options)}: ${message}`, () => {
    assert.throws(() => form(anyForm, options as FormOptions), (error: unknown) => error instanceof TypeError && error.message.startsWith(message));
  });
}
mistakes('a name of lists that the schema does not have', () => {
  const schema = makeJsonSchema({ type: 'object', properties: { tag: { type: 'array' } } });
  assert.throws(() => form(schema, { lists: ['tag', 'tags'] }), isTypeError('options.lists must only have names of the schema: "tags"'));
});
mistakes('a field that can only be an object', () => {
  assert.throws(() => form(makeJsonSchema({ properties: { owner: { type: 'object' } } })), /^schema\.owner must not be an object: clients send strings/);
});
mistakes('no decoder', () => assert.throws(() => form(7 as never), /decoder of a format must be a Standard Schema/));
