/** The checks of operations that take forms. */
import { assert, suite } from '../support/facts.ts';
import { checks, type ChecksOptions } from '../../src/checks/index.ts';
import { form } from '../../src/formats/index.ts';
import { ApiServer, bytes, type Format } from '../../src/index.ts';
import { standard } from './pet-server.ts';

const TEXT = { type: 'string' };
const PET = standard(
  { type: 'object', required: ['name', 'photo', 'tags'], properties: { name: TEXT, tags: { type: 'array', items: TEXT }, photo: TEXT, scan: TEXT } },
  (fields: unknown) => (['name', 'photo'].every((name) => Object.hasOwn(Object(fields) as object, name)) ? { value: fields } : { issues: [{ message: 'too little' }] }),
);
const TAGS = standard({ type: 'object', required: ['tags'], properties: { tags: { type: 'array', items: TEXT } } }, (value: unknown) => ({ value }));
const FILES = { files: { photo: { types: ['image/png'] }, scan: {} } };
const PNG = new Blob(['x'], { type: 'image/png' });

function serverWith(input: Format, receive: (fields: any) => unknown = () => {}): ApiServer {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoint('/pet', { custom: { add: { input, output: { 204: null }, run: (fields: any) => void receive(fields) } } } as never);
  return server;
}

async function failuresOf(server: ApiServer, options: ChecksOptions): Promise<[string, string][]> {
  const failures: [string, string][] = [];
  for (const { name, run } of checks(server, options)) await Promise.resolve(run()).catch(({ message }: Error) => failures.push([name, message]));
  return failures;
}

const forms = suite('the checks of a form');
forms('send one that is valid, and those that are not', async () => {
  const received: object[] = [];
  const server = serverWith(form(PET, FILES), (fields) => void received.push(fields));
  const form1 = new FormData();
  form1.append('name', 'Rex');
  form1.append('photo', PNG);
  for (const body of [{ name: 'Rex', tags: ['a', 'b'], photo: PNG, scan: undefined }, form1, () => ({ name: 7, photo: PNG })]) {
    assert.equal(await failuresOf(server, { samples: { petAdd: { body } }, concurrency: 0 }), []);
  }
  assert.ok(received.length >= 3, `${received.length} forms`);
  assert.equal([...new Set(received.map((each) => Object.keys(each).sort().join()))], ['name,photo,tags']);
});
forms('an empty one is not rejected where only lists are required', async () => {
  const server = serverWith(form(TAGS));
  assert.not.ok(checks(server).some(({ name }) => name.includes('an empty form')));
  assert.equal(await failuresOf(server, { samples: { petAdd: { body: {} } } }), []);
});
forms('find one that accepts everything', async () => {
  const lax = Object.freeze({ ...form(PET, FILES), decode: () => ({}) }) as unknown as Format;
  const [[name, message] = [], ...others] = await failuresOf(serverWith(lax), { samples: { petAdd: { body: {} } } });
  assert.equal([name, others], ['POST /v1/pet/add: an empty form, which its schema rejects -> 400', []]);
  assert.match(message ?? '', /returned 204\. Expected: 400/);
});
forms('bytes are not a form', () => {
  assert.not.ok(checks(serverWith(bytes())).some(({ name }) => name.includes('form')));
});
