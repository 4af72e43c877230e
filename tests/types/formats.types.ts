/** The types of formats, of wildcards and of interceptors. Compiled, and never run. */
import { open } from 'node:fs/promises';
import { client, toFormData } from '../../src/client/index.ts';
import { byType, createDecoder, events, form, json, mergePatch, ndjson, parseJson, ranges, type Items, type Merge } from '../../src/formats/index.ts';
import { ApiServer, bytes, defineEndpoint, defineFormat, integerId, reply, type Decoding, type Format, type InterceptedCall, type Interceptor, type Run, type RunOptions, type StandardSchemaV1, wildcardId } from '../../src/index.ts';
import { same } from './schemas.ts';

interface Pet {
  readonly name: string;
  readonly legs: number;
  readonly owner?: { readonly name: string };
}

declare const Pet: (json: unknown) => Pet;
declare const Stored: { readonly '~standard': { readonly version: 1; readonly vendor: string; readonly validate: (value: unknown) => { readonly value: Pet }; readonly types?: { readonly input: Pet & { readonly secret: string }; readonly output: Pet } } };

defineEndpoint({
  id: integerId,
  patch: {
    input: mergePatch(Pet),
    run: async (id, change) => {
      same<typeof id, number>(true);
      same<typeof change, (current: Pet) => Promise<Pet>>(true);
    },
  },
  custom: {
    take: {
      input: ndjson(Pet),
      run: async (pets) => {
        same<typeof pets, AsyncIterable<Pet>>(true);
        for await (const pet of pets) same<typeof pet, Pet>(true);
        return 1;
      },
    },
    pack: {
      input: defineFormat({ types: ['application/vnd.msgpack'], decode: async (body, _request, decoding) => {
        same<typeof body, AsyncIterable<Uint8Array>>(true);
        same<typeof decoding, Decoding>(true);
        return 7;
      } }),
      run: (value) => {
        same<typeof value, number>(true);
        return value;
      },
    },
  },
});

const stored = ndjson(Stored);
export const placed: number | PromiseLike<number> = createDecoder<number>(Number)('7', { at: '/3', status: 422 });
// @ts-expect-error no such status
createDecoder(Number)('7', { status: 500 });
same<typeof stored, Format<Items<Pet & { readonly secret: string }>, AsyncIterable<Pet>, 'ndjson'>>(true);
// @ts-expect-error no decoder
ndjson(7);
// @ts-expect-error no such option
ndjson(Pet, { lines: 7 });

type GivenTo<F> = F extends Format<infer Given, any> ? Given : never;
const named = events({ arrived: Stored, left: (name: string) => name });
const arrived: GivenTo<typeof named> = [{ event: 'arrived', data: { name: 'ant', legs: 6, secret: 'a' }, id: '7' }];
const left: GivenTo<typeof named> = [{ event: 'left', data: 'ant', retry: 5 }];
const moved: GivenTo<typeof named> = [{ id: '8' }, { event: 'left', data: 'ant' }];
// @ts-expect-error a name without data
const empty: GivenTo<typeof named> = [{ id: '8', event: 'left' }];
// @ts-expect-error the data of another event
const mixed: GivenTo<typeof named> = [{ event: 'left', data: 7 }];
// @ts-expect-error no such event
const unknown: GivenTo<typeof named> = [{ event: 'fed', data: 'ant' }];
void [arrived, left, moved, empty, mixed, unknown];

const merge: Merge<Pet> = { legs: 5, owner: null };
// @ts-expect-error a name cannot be missing, so it cannot be taken away
const unnamed: Merge<Pet> = { name: null };
// @ts-expect-error no such property
const misspelt: Merge<Pet> = { leg: 5 };
void [merge, unnamed, misspelt];

const pets = defineEndpoint({
  id: integerId,
  schema: json(Stored, { types: ['application/vnd.pet+json'] }),
  get: () => ({ name: 'ant', legs: 6, secret: 'a' }),
  create: (pet) => {
    same<typeof pet, Pet>(true);
    return 1;
  },
  patch: {
    input: json(Pet, { types: ['application/json-patch+json'] }),
    output: json((pet: Pet) => pet.name, { types: ['application/x+json'] }),
    run: (_id, pet) => {
      same<typeof pet, Pet>(true);
      return pet;
    },
  },
});
const uploads = defineEndpoint({
  create: {
    input: byType(Stored, form((fields: { name: string }) => fields.name), bytes({ types: ['image/png'] })),
    output: (name: string) => name,
    run: (given) => {
      same<typeof given, Pet | string | AsyncIterable<Uint8Array>>(true);
      return '';
    },
  },
});
const upload = client<{ '/pet': typeof uploads }>('http://zoo.example').one('/pet').create;
void [upload({ name: 'ant', legs: 6, secret: 'a' }), upload(toFormData({ name: 'ant' })), upload(new Blob([]))];
// @ts-expect-error neither has it
void upload({ names: 'ant' });
// @ts-expect-error nothing to choose from
byType();
// @ts-expect-error no decoder
byType(Pet, 7);

const parsed: Pet = parseJson('{}', { addIssue: (message: string) => message });
void parsed;
// @ts-expect-error a text
parseJson(7);

const calls = client<{ '/pet': typeof pets }>('http://zoo.example')('/pet');
export const made: Promise<string> = calls.create({ name: 'ant', legs: 6, secret: 'a' });
export const patched: Promise<string> = calls.patch(1, { name: 'ant', legs: 6 }, { headers: { 'Content-Type': 'application/json-patch+json' } });
// @ts-expect-error the schema's input has more
calls.create({ name: 'ant', legs: 6 });
// @ts-expect-error a result that its output does not take
defineEndpoint({ get: { output: json((pet: Pet) => pet, { types: ['application/x+json'] }), run: () => ({ name: 7 }) } });
// @ts-expect-error JSON has no value for it
defineEndpoint({ update: { input: json({} as StandardSchemaV1<{ born: Date }>, { types: ['application/x+json'] }), run: () => true } });
// @ts-expect-error no decoder
json(7, { types: ['application/json'] });
// @ts-expect-error no types
json(Pet, {});
new ApiServer('/v1', { jsonTypes: ['application/json'] });
// @ts-expect-error no list
new ApiServer('/v1', { jsonTypes: 'application/json' });

reply(200, ranges({ size: 3, read: (from, to) => new Uint8Array(to - from + 1) }), { ETag: '"1"' });
ranges({ size: 3, read: async (from, to) => new Uint8Array(to - from + 1), close: () => Promise.resolve() });
ranges({ size: 3, read: async (start, end) => (await open('film')).createReadStream({ start, end }), close: () => 1 });
// @ts-expect-error a part is bytes or a stream
ranges({ size: 3, read: async () => 'text' });
const part = ranges({ size: 3, read: (from, to) => new Uint8Array(to - from + 1) });
defineEndpoint({ get: { output: { 200: bytes({ types: ['image/png'] }), 304: null }, run: () => reply(200, part, { 'Content-Type': 'image/png' }) } });
defineEndpoint({ get: { output: defineFormat({ types: ['image/png'], encode: () => part }), run: () => 1 } });
// @ts-expect-error no size
ranges({ read: () => new Uint8Array(0) });

defineEndpoint({ id: wildcardId, get: (id) => same<typeof id, string>(true) });

const inTransaction: Interceptor<{ readonly tx: number }> = {
  around: async (call, run) => {
    same<typeof run, (adds: { readonly tx: number }, options?: RunOptions) => Promise<unknown>>(true);
    // @ts-expect-error it has to add tx
    await run();
    await run({ tx: 1 }, { input: call.input as AsyncIterable<Uint8Array> });
    // @ts-expect-error an input is a stream
    await run({ tx: 1 }, { input: 'text' });
    return call.encode(await run({ tx: 1 }));
  },
};
const plain: Interceptor = { around: (call: InterceptedCall, run: Run) => (call.kind === 'list' ? run() : call.response({ status: 200, headers: {}, body: 'a' })) };
// @ts-expect-error around is missing
const missing: Interceptor = { query: Pet };
void [inTransaction, plain, missing];

// Forms.
interface Upload { readonly name: string; readonly tags?: readonly string[]; readonly photo: File; readonly scans: readonly Blob[]; readonly note: string | File; readonly legs: unknown }
declare const Uploads: StandardSchemaV1<Upload, { readonly name: string; readonly legs: number }>;
declare const Strings: StandardSchemaV1<{ readonly name: string; readonly kind: 'ant' | 'bee'; readonly tags?: string[] | undefined }, { readonly name: string }>;

defineEndpoint({
  custom: {
    upload: {
      input: form(Uploads, { files: { photo: { types: ['image/png'] }, scans: {}, note: { maxBytes: 7 } } }),
      run: (fields) => {
        same<typeof fields, { readonly name: string; readonly legs: number }>(true);
        return 1;
      },
    },
    strings: { input: form(Strings, { lists: ['tags'] }), run: ({ name }) => name },
    function: { input: form(({ name, photo }: { name: string; photo: File }) => ({ name, photo }), { files: { photo: {} } }), run: ({ photo }) => photo.name },
    any: { input: form((fields: any) => String(fields), { files: { photo: {} } }), run: (name) => name.length },
  },
});
form(Uploads, { files: { photo: {}, scans: {} }, fileBytes: 3 });
// @ts-expect-error its files are not declared
form(Uploads);
// @ts-expect-error
form(Uploads, { lists: ['tags'] });
// @ts-expect-error scans are files too
form(Uploads, { files: { photo: {} } });
// @ts-expect-error a name is not a file
form(Uploads, { files: { photo: {}, scans: {}, name: {} } });
// @ts-expect-error
form(Strings, { files: { photo: {} } });
// @ts-expect-error no such option
form(Strings, { parts: 7 });
// @ts-expect-error a form has no numbers
form((fields: { readonly legs: number }) => fields);
// @ts-expect-error
form((fields: { readonly owner: { readonly name: string } }) => fields);
