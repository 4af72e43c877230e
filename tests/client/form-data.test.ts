/** Forms of a client. */
import { toFormData } from '../../src/client/index.ts';
import { form } from '../../src/formats/index.ts';
import { type ApiServer, defineEndpoint, type StandardSchemaV1 } from '../../src/index.ts';
import { serveWithClient, captureError } from '../support/serve-with-client.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

interface Sent { readonly name: string; readonly legs?: unknown; readonly tags?: readonly string[]; readonly photo?: File; readonly scans?: readonly File[] }

const schema: StandardSchemaV1<Sent> = { '~standard': { version: 1, vendor: 'tests', validate: (value) => ({ value: value as Sent }) } };
const pets = defineEndpoint({
  custom: {
    take: {
      input: form(schema, { files: { photo: {}, scans: {} }, lists: ['tags', 'scans'] }),
      run: async ({ photo, scans = [], ...fields }) => ({ ...fields, photo: await photo?.text(), scans: await Promise.all(scans.map(async (scan) => [scan.name, await scan.text()])) }),
    },
    plain: { input: form(({ name }: { name: string }) => name), run: (name) => ({ name }) },
  },
});
interface Api { readonly '/pet': typeof pets }
const declare = (server: ApiServer): void => server.registerEndpoint('/pet', pets);

const sending = suite('a form of a client');
for (const owner of [{ name: 'Ann' }, [{ name: 'Ann' }]]) {
  sending(`an object, ${JSON.stringify(owner)} -> TypeError`, () => {
    assert.throws(() => toFormData({ owner }), isTypeError('owner must not be an object: send a string'));
  });
}
const FORM = new FormData();
FORM.append('name', 'Rex');
for (const { why, sent, expected } of [
  { why: 'strings', sent: toFormData({ name: 'R\u00eax "1" & 2=3\r\n' }), expected: { name: 'R\u00eax "1" & 2=3\r\n' } },
  { why: 'a number', sent: toFormData({ name: 'Rex', legs: 4 }), expected: { name: 'Rex', legs: '4' } },
  { why: 'zero and false', sent: toFormData({ name: '', legs: [0, false] }), expected: { name: '', legs: ['0', 'false'] } },
  { why: 'a date', sent: toFormData({ name: 'Rex', legs: new Date(0) }), expected: { name: 'Rex', legs: '1970-01-01T00:00:00.000Z' } },
  { why: 'nothing', sent: toFormData({ name: 'Rex', legs: undefined, photo: undefined }), expected: { name: 'Rex' } },
  { why: 'lists', sent: toFormData({ name: 'Rex', tags: ['a', 'b'] }), expected: { name: 'Rex', tags: ['a', 'b'] } },
  { why: 'a file', sent: toFormData({ name: 'Rex', photo: new File(['x'], 'a.png') }), expected: { name: 'Rex', photo: 'x' } },
  { why: 'a Blob', sent: toFormData({ name: 'Rex', photo: new Blob(['x']) }), expected: { name: 'Rex', photo: 'x' } },
  { why: 'several files', sent: toFormData({ name: 'Rex', scans: [new File(['x'], 'a.png'), new Blob(['y'])] }),
    expected: { name: 'Rex', scans: [['a.png', 'x'], ['blob', 'y']] } },
  { why: 'a FormData', sent: FORM, expected: { name: 'Rex' } },
]) {
  sending(why, () => serveWithClient(declare, async (calls) => {
    assert.equal(await calls.connect<Api>().one('/pet').custom.take(sent), { scans: [], ...expected });
  }));
}
sending('without files', () => serveWithClient(declare, async (calls) => {
  assert.equal(await calls.connect<Api>().one('/pet').custom.plain(toFormData({ name: 'Rex' })), { name: 'Rex' });
}));
sending('that is rejected: its fields have the issues', () => serveWithClient(declare, async (calls) => {
  const error = await captureError(calls.connect<Api>().one('/pet').custom.take(toFormData({ name: new Blob(['x']) as unknown as string })));
  assert.equal({ ...error.fields }, { name: ['this field must not be a file'] });
}));
