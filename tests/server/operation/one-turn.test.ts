/** Two changes that begin together, by `fetch`: a store without promises that does not compare versions itself loses none of them. */
import { assert, suite } from '../../support/facts.ts';
import { ApiServer, type Interceptor, reply, stringId } from '../../../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../../src/interceptors/index.ts';

interface Kept { readonly revision: number }
const first: Kept = { revision: 1 };
const change = (id: string, kept: Map<string, Kept>): void => void kept.set(id, { revision: (kept.get(id)?.revision ?? 0) + 1 });
const version = ({ revision }: Kept): number => revision;
const anyone = (): object => ({});
const passing: Interceptor<any> = { around: (_call, run) => run() };
const waiting: Interceptor<any> = { around: async (_call, run) => {
  await undefined;
  return await run();
} };

type Declare = (kept: Map<string, Kept>) => object;
type Row = readonly [title: string, method: string, path: string, headers: Readonly<Record<string, string>>, declare: Declare];
const JSON_TYPE = { 'Content-Type': 'application/json' };
const IF_MATCH = { 'If-Match': '"1"', ...JSON_TYPE };
const rows: readonly Row[] = [
  ['an update, by the version of get', 'PUT', '/rex', IF_MATCH, (kept) => ({ version, update: { input: anyone, run: (id: string) => change(id, kept) } })],
  ['an update, by currentVersion', 'PUT', '/rex', IF_MATCH, (kept) => ({
    currentVersion: (id: string) => kept.get(id)?.revision, update: { input: anyone, run: (id: string) => change(id, kept) },
  })],
  ['an update with a context of its own, by currentVersion', 'PUT', '/rex', IF_MATCH, (kept) => ({
    context: anyone, currentVersion: (id: string) => kept.get(id)?.revision, update: { context: () => ({}), input: anyone, run: (id: string) => change(id, kept) },
  })],
  ['an update by date', 'PUT', '/rex', { 'If-Unmodified-Since': 'Sun, 06 Nov 1994 08:49:37 GMT', ...JSON_TYPE }, (kept) => ({
    get: (id: string) => reply(200, kept.get(id) ?? first, { 'Last-Modified': new Date(784_111_776_000 + 1000 * (kept.get(id)?.revision ?? 0)).toUTCString() }),
    update: { input: anyone, run: (id: string) => change(id, kept) },
  })],
  ['an update that makes the item', 'PUT', '/new', { 'If-None-Match': '*', ...JSON_TYPE },
    (kept) => ({ version, update: { input: anyone, run: (id: string) => change(id, kept) } })],
  ['a patch', 'PATCH', '/rex', IF_MATCH, (kept) => ({ version, patch: { input: anyone, run: (id: string) => change(id, kept) } })],
  ['a named operation', 'POST', '/rex/feed', IF_MATCH,
    (kept) => ({ version, itemCustom: { feed: { input: anyone, run: (id: string) => ({ done: change(id, kept) }) } } })],
  ['an operation without a body', 'POST', '/rex/feed', { 'If-Match': '"1"' },
    (kept) => ({ version, itemCustom: { feed: (id: string) => ({ done: change(id, kept) }) } })],
  ...Object.entries({ 'an interceptor': [passing], 'interceptors that wait': [waiting, waiting], 'idempotent': [idempotent(memoryIdempotencyStore())] }).map(([title, use]): Row => [
    `a patch with ${title}`, 'PATCH', '/rex', IF_MATCH, (kept) => ({ version, patch: { use, input: anyone, run: (id: string) => change(id, kept) } }),
  ]),
];

const together = suite('two changes with one condition, which begin together');
for (const [title, method, path, headers, declare] of rows) {
  together(`${title}: one succeeds`, async () => {
    const kept = new Map([['rex', first]]);
    const server = new ApiServer('', { logger: { info: () => {}, error: (error) => assert.unreachable(String(error)) } });
    server.registerEndpoint('/pet', { id: stringId, get: (id: string) => kept.get(id), ...declare(kept) } as never);
    const body = 'Content-Type' in headers ? '{}' : null;
    const send = (key: string): Promise<Response> => server.fetch(`/pet${path}`, { method, body, headers: { ...headers, 'Idempotency-Key': `"${key}"` } });
    const before = kept.get(path.slice(1, 4))?.revision ?? 0;
    const statuses = (await Promise.all([send('a'), send('b')])).map(({ status }) => status);
    assert.equal(statuses.map((status) => (status < 300 ? 'success' : status)).sort(), [412, 'success']);
    assert.is(kept.get(path.slice(1, 4))?.revision, before + 1);
  });
}
