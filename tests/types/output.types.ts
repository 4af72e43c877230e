/** The result of `get` is checked against the input of its `output`, else against the schema. Compiling this file is the test. */
import { pages } from '../../src/interceptors/index.ts';
import { client } from '../../src/client/index.ts';
import { ApiServer, defineEndpoint, integerId, reply, views, type ApiRequest, type StandardSchemaV1 } from '../../src/index.ts';
import { same } from './schemas.ts';
interface Pet { readonly name: string; readonly legs: number }
declare const pet: StandardSchemaV1<unknown, Pet>;
declare const shown: StandardSchemaV1<{ readonly name: string; readonly legs: number; readonly secret: string }, { readonly name: string }>;
declare const stored: Map<number, { readonly name: string; readonly legs: number; readonly secret: string }>;
const server = new ApiServer('');
defineEndpoint({ id: integerId, get: { output: shown, run: (id) => stored.get(id) } });
defineEndpoint({ id: integerId, schema: pet, get: { output: shown, run: async (id) => stored.get(id) } });
defineEndpoint({ id: integerId, get: { output: (p: Pet) => p.name, run: (id) => ({ name: 'a', legs: id }) } });
defineEndpoint({ id: integerId, get: { output: { 200: shown }, run: (id) => reply(200, stored.get(id)!) } });
defineEndpoint({ id: integerId, get: { output: shown, run: () => reply(200, { name: 'a', legs: 1, secret: 's' }) } });
server.registerEndpoint('/a', { id: integerId, get: { output: shown, run: (id) => stored.get(id) } });
server.registerEndpoint('/a', defineEndpoint({ id: integerId, get: { output: shown, run: (id) => stored.get(id) } }));
defineEndpoint({ id: integerId, list: { output: (p: Pet[]) => p.length, run: () => [] }, custom: { a: { output: (p: Pet) => p.legs, run: () => ({ name: 'a', legs: 1 }) } } });
// @ts-expect-error get returns a value that output does not accept
defineEndpoint({ id: integerId, get: { output: shown, run: () => ({ nope: 1 }) } });
// @ts-expect-error output takes more than the schema has
defineEndpoint({ id: integerId, schema: pet, get: { output: shown, run: () => ({ name: 'a', legs: 1 }) } });
// @ts-expect-error get returns a value that a function as output does not accept
defineEndpoint({ id: integerId, get: { output: (p: Pet) => p.name, run: (id) => ({ name: id }) } });
// @ts-expect-error the same, without defineEndpoint
server.registerEndpoint('/a', { id: integerId, get: { output: shown, run: () => 1 } });
// @ts-expect-error output is not a decoder
defineEndpoint({ id: integerId, get: { output: 7, run: () => 1 } });
// The parameter of a function without a type can be anything.
defineEndpoint({ id: integerId, get: { output: ({ name }) => ({ name }), run: (id) => stored.get(id) } });
const forCaller = views([shown, (p: Pet) => ({ legs: p.legs })], ({ context }: ApiRequest<string>) => (context === 'ann' ? shown : shown));
const viewed = defineEndpoint({ id: integerId, get: { output: forCaller, run: (id) => stored.get(id) } });
const seen = (): Promise<{ name: string } | { legs: number }> => client<{ '/a': typeof viewed }>('http://zoo.example')('/a').get(1);
void seen;
// @ts-expect-error no view accepts the result
defineEndpoint({ id: integerId, get: { output: forCaller, run: () => ({ color: 'red' }) } });
// @ts-expect-error choose returns a decoder that is not in the list
views([shown], () => (p: Pet) => p.name);
// @ts-expect-error no views
views([], () => shown);
// A client gets what a function as output returns, whatever type its parameter has.
const shownApi = server.registerEndpoints({
  '/shown': defineEndpoint({
    id: integerId,
    list: { use: pages({ cursor: ({ name }: Pet) => name, envelope: true }), output: (all: Pet[]) => all.map(({ name }) => name), run: (): Pet[] => [] },
    get: { output: ({ name }: Pet) => ({ shown: name }), run: () => ({ name: 'a', legs: 1 }) },
    custom: {
      all: { output: (all: readonly Pet[]) => all.map(({ legs }) => ({ legs })), run: (): Pet[] => [] },
      byStatus: { output: { 200: ({ name }: Pet) => ({ shown: name }) }, run: () => ({ name: 'a', legs: 1 }) },
    },
  }),
});
same<(typeof shownApi)['/shown']['get'][200], { shown: string }>(true);
same<(typeof shownApi)['/shown']['list'][200], { items: string[]; next?: string; prev?: string }>(true);
same<(typeof shownApi)['/shown']['custom']['all'][200], { legs: number }[]>(true);
same<(typeof shownApi)['/shown']['custom']['byStatus'][200], { shown: string }>(true);
