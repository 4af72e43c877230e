/** The program of docs/idempotency.md, whose provider fails, declines, breaks connections and stays silent, while the processes of the program are killed. */
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { client, ProblemError, type RetryOptions } from '../../src/client/index.ts';
import { defineEndpoint, integerId, problem } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import type { Child } from '../support/child.ts';
import { findFreePort } from '../support/free-port.ts';
import { assert, delay, waitUntil } from '../support/facts.ts';
import { withPool, type Case, type Setting } from './case.ts';
import { type Made, Provider, type ProviderFailure, REJECTED_REFUND } from './provider.ts';
import { checkCommands, loadShownPrograms, withShownProgram } from './shown-program.ts';

const PAGE = { page: 'idempotency.md', name: 'shop.ts' };
const PROVIDER = 'http://127.0.0.1:8081';
const IMPATIENT = { 'RESPONSE_MS = 10_000': 'RESPONSE_MS = 300' };
const RECONCILES = { 'CHECK_SECONDS = 30': 'CHECK_SECONDS = 0.3' };
const PAYMENTS = 120;
const CLIENTS = 8;
const KILLS = 8;
const CUSTOMERS = ['ann', 'bob'];
/** Half of the requests fail. */
const FAILURES: readonly (ProviderFailure | undefined)[] = ['before', undefined, 'after', undefined, 'cut', undefined, 'silent', undefined];

interface Shop {
  readonly pool: Pool;
  readonly provider: Provider;
  readonly ports: readonly [number, number];
  readonly start: (port: number) => Promise<Child>;
  /** Sends one request, without a retry. */
  readonly post: (path: string, key: string, body: object) => Promise<Response>;
  readonly of: (customer: string, retries?: RetryOptions) => ReturnType<typeof shopClient>;
}

const once = idempotent(memoryIdempotencyStore(), { required: true });
// Its type is the type of the program's endpoint.
const payment = defineEndpoint({
  id: integerId,
  create: {
    use: once, input: (json: unknown) => json as { readonly cents: number; readonly card: string }, errors: { 402: (json: unknown) => json as { readonly code: string } },
    run: () => 1 as number | ReturnType<typeof problem<402, { readonly code: string }>>,
  },
  get: () => ({}),
  itemCustom: { refund: { use: once, input: (json: unknown) => json as { readonly cents: number }, run: (): number => 1 } },
});

/** A client that sends each request to either process, until it has a response. */
function shopClient(ports: readonly number[], customer: string, retries: RetryOptions = { attempts: 1000, maxDelayMs: 1000 }) {
  const eitherProcess = (url: string | URL | Request, init?: RequestInit): Promise<Response> => (
    fetch(String(url).replace(':1/', `:${ports[Math.floor(Math.random() * ports.length)]}/`), init)
  );
  const headers = { Authorization: `Bearer token-of-${customer}` };
  return client<{ readonly '/payment': typeof payment }>('http://127.0.0.1:1/v1', { fetch: eitherProcess, headers, retries })('/payment');
}

/** Runs `use` with the program and a provider that fails in this way. */
async function withShop(
  { url }: Setting, nextFailure: () => ProviderFailure | undefined, changes: Readonly<Record<string, string>>, use: (shop: Shop) => Promise<void>,
): Promise<void> {
  const provider = new Provider(nextFailure);
  await provider.serve((at) => withPool(url, (pool) => withShownProgram({ ...PAGE, url, changes: { ...changes, [PROVIDER]: at } }, async ({ start }) => {
    const ports = [await findFreePort(), await findFreePort()] as const;
    const post: Shop['post'] = (path, key, body) => fetch(`http://127.0.0.1:${ports[0]}/v1${path}`, {
      method: 'POST', body: JSON.stringify(body),
      headers: { 'Authorization': 'Bearer token-of-ann', 'Idempotency-Key': key, 'Content-Type': 'application/json' },
    });
    await use({ pool, provider, ports, start, post, of: (customer, retries) => shopClient(ports, customer, retries) });
  })));
}

/** Fails in these ways, and then never. */
const inTurn = (...failures: readonly (ProviderFailure | undefined)[]) => {
  const left = [...failures];
  return (): ProviderFailure | undefined => left.shift();
};

interface Row {
  readonly id: number;
  readonly key: string;
  readonly customer: string;
  readonly refund_of: number | null;
  readonly cents: number;
  readonly refunded: number;
  readonly state: string;
  readonly provider_id: string | null;
  readonly code: string | null;
}

const readRows = async (pool: Pool): Promise<readonly Row[]> => (await pool.query('SELECT * FROM payment ORDER BY id')).rows as unknown as readonly Row[];
const nothingIsPending = (pool: Pool): Promise<void> => (
  waitUntil(async () => (await pool.query("SELECT 1 FROM payment WHERE state = 'pending'")).rows.length === 0, 'the reconciler')
);
const sum = (all: readonly { readonly cents: number }[]): number => all.reduce((total, { cents }) => total + cents, 0);

/** Each row is at the provider exactly once if it is done, and not at all if it is not, and nothing else is there. */
function assertAgrees(rows: readonly Row[], made: readonly Made[]): void {
  const done = rows.filter(({ state }) => state === 'done');
  const idOf = (id: number | null): string | null | undefined => rows.find((row) => row.id === id)?.provider_id;
  const inOrder = (all: readonly (readonly unknown[])[]): readonly string[] => all.map((each) => JSON.stringify(each)).sort();
  assert.equal(
    inOrder(made.map(({ key, id, cents, charge }) => [key, id, cents, charge])),
    inOrder(done.map(({ key, provider_id: id, cents, refund_of: of }) => [key, id, cents, of === null ? undefined : idOf(of)])),
  );
  for (const charge of rows.filter((row) => row.refund_of === null)) {
    assert.is(charge.refunded, sum(done.filter((row) => row.refund_of === charge.id)));
    assert.ok(charge.refunded <= charge.cents);
  }
}

const errorOf = (thrown: unknown): { readonly status: number; readonly code: unknown } => {
  if (!(thrown instanceof ProblemError)) throw thrown;
  return { status: thrown.status, code: (thrown.problem as { readonly code?: unknown } | undefined)?.code };
};

export const PROVIDER_PAYMENTS: readonly Case[] = [
  ['the commands print what the page shows, with the provider of the page', async ({ url }) => {
    const { listPrograms, withScratch, withRunning } = await loadShownPrograms();
    const file = listPrograms(PAGE.page).find(({ name }) => name === PAGE.name)?.files?.find(({ name }) => name === 'provider.ts');
    if (file === undefined) throw new Error('the page shows no provider');
    const program = { ...file, code: file.code.replace('8081', '8080'), files: [] };
    await withScratch((folder) => withRunning(program, folder, ({ port }) => (
      checkCommands({ ...PAGE, url, changes: { [PROVIDER]: `http://127.0.0.1:${port}` } })
    )));
  }],
  [`of ${PAYMENTS} payments with refunds, ${KILLS} kills and a provider that fails: each is made once, and none is left pending`, async (setting) => {
    let turn = 0;
    const nextFailure = (): ProviderFailure | undefined => FAILURES[(turn += 1) % FAILURES.length];
    await withShop(setting, nextFailure, { ...IMPATIENT, ...RECONCILES }, async ({ pool, provider, ports, start, post, of }) => {
      const children = [await start(ports[0]), await start(ports[1])];
      const paid = new Map<number, string>();
      let begun = 0;
      let ended = 0;
      const pay = async (at: number): Promise<void> => {
        const customer = CUSTOMERS[at % 2] ?? '';
        const payments = of(customer);
        const card = at % 6 === 0 ? 'declined' : 'good';
        const key = { idempotencyKey: `key-${at >> 1}` };
        if (at % 10 === 5) {
          // A customer who does not come back.
          await post('/payment', `lost-${at}`, { cents: 100, card }).catch(() => undefined);
          return;
        }
        const send = (): Promise<unknown> => payments.create({ cents: 100, card }, key).catch(errorOf);
        const id = await send();
        assert.equal(await send(), id);
        if (card === 'declined') {
          assert.equal(id, { status: 402, code: 'card_declined' });
          return;
        }
        paid.set(Number(id), customer);
        const refunds = [0, 1, 2].map((part) => payments.itemCustom.refund(Number(id), { cents: 40 }, { idempotencyKey: `key-${at >> 1}-${part}` }).catch(errorOf));
        const rejected = (await Promise.all(refunds)).filter((refunded) => typeof refunded !== 'number');
        assert.equal(rejected, [{ status: 409, code: undefined }]);
      };
      const paying = Promise.all(Array.from({ length: CLIENTS }, async () => {
        while (begun < PAYMENTS) {
          begun += 1;
          await pay(begun);
          ended += 1;
        }
      }));
      let isOver = false;
      const over = paying.finally(() => (isOver = true));
      over.catch(() => {});
      for (let kill = 0; kill < KILLS; kill += 1) {
        await waitUntil(() => isOver || ended >= (kill + 0.5) * PAYMENTS / KILLS, 'payments');
        await delay(Math.random() * 20);
        const at = kill % 2;
        await children[at]?.end('SIGKILL');
        children[at] = await start(ports[at] ?? 0);
      }
      await over;
      await nothingIsPending(pool);
      const rows = await readRows(pool);
      assertAgrees(rows, provider.made);
      const charges = rows.filter((row) => row.refund_of === null);
      assert.equal([...paid].toSorted(([a], [b]) => a - b), charges.filter(({ id }) => paid.has(id)).map(({ id, customer }) => [id, customer]));
      assert.is(sum(rows.filter((row) => paid.has(row.refund_of ?? 0))), paid.size * 80);
      assert.equal([...new Set(provider.failed)].sort(), ['after', 'before', 'cut', 'silent']);
    });
  }],
  ['of 20 payments, during which the database is away for 2 s, none is given up by a client with `retries: 7`, and each is made once', (setting) => (
    withShop(setting, inTurn(), {}, async ({ pool, provider, ports, start, of }) => {
      const { cluster } = setting;
      for (const port of ports) await start(port);
      const paying: Promise<unknown>[] = [];
      const pay = async (from: number, to: number): Promise<void> => {
        for (let at = from; at < to; at += 1) {
          paying.push(of('ann', { attempts: 7 }).create({ cents: 100 + at, card: 'good' }, { idempotencyKey: `key-${at}` }).then(Number, errorOf));
          await delay(20);
        }
      };
      await pay(0, 8);
      // Some of these are in the middle of their statements and charges.
      const stopped = cluster.stopped();
      await pay(8, 16);
      await stopped;
      await delay(2000);
      cluster.start();
      await pay(16, 20);
      const paid = await Promise.all(paying);
      assert.equal(paid.filter((id) => typeof id !== 'number'), []);
      await nothingIsPending(pool);
      const rows = await readRows(pool);
      assertAgrees(rows, provider.made);
      assert.equal(rows.map(({ cents, state }) => [cents, state]).toSorted(([a], [b]) => Number(a) - Number(b)),
        Array.from({ length: 20 }, (_, at) => [100 + at, 'done']));
      assert.equal(paid.toSorted(), rows.map(({ id }) => id).toSorted());
    })
  )],
  ['a process that is killed during a charge, and a customer who does not come back: another process settles the payment', (setting) => (
    withShop(setting, inTurn('silent'), RECONCILES, async ({ pool, provider, ports, start, post }) => {
      const child = await start(ports[0]);
      const lost = post('/payment', 'a', { cents: 100, card: 'good' }).catch(() => 'lost');
      await waitUntil(() => provider.made.length === 1, 'the charge');
      await child.end('SIGKILL');
      assert.is(await lost, 'lost');
      assert.equal((await readRows(pool)).map(({ state }) => state), ['pending']);
      await start(ports[0]);
      await start(ports[1]);
      await nothingIsPending(pool);
      const rows = await readRows(pool);
      assert.equal(rows.map(({ state }) => state), ['done']);
      assertAgrees(rows, provider.made);
    })
  )],
  ['a payment of which nobody knows gets 503 with Retry-After, and its key the outcome later', (setting) => (
    withShop(setting, inTurn('before'), {}, async ({ ports, start, post, provider }) => {
      await start(ports[0]);
      const first = await post('/payment', 'a', { cents: 100, card: 'good' });
      assert.equal([first.status, first.headers.get('Retry-After')], [503, '1']);
      const second = await post('/payment', 'a', { cents: 100, card: 'good' });
      assert.equal([second.status, await second.text(), provider.made.length], [201, '1', 1]);
    })
  )],
  ['a key of two customers is two payments, and a key of a different amount gets 422, even if its response is forgotten', (setting) => (
    withShop(setting, inTurn(), {}, async ({ pool, provider, ports, start, post, of }) => {
      await start(ports[0]);
      await start(ports[1]);
      const ids = await Promise.all(CUSTOMERS.map((customer) => of(customer).create({ cents: 100, card: 'good' }, { idempotencyKey: 'a' })));
      assert.equal([new Set(ids).size, provider.made.length], [2, 2]);
      await pool.query('DELETE FROM restpoint_key');
      assert.is((await post('/payment', 'a', { cents: 200, card: 'good' })).status, 422);
      assert.is((await post('/payment', 'a', { cents: 100, card: 'good' })).status, 201);
      assert.is(provider.made.length, 2);
    })
  )],
  ['a card that is declined stays declined, with and without its stored response, and is not charged again', (setting) => (
    withShop(setting, inTurn('silent'), IMPATIENT, async ({ pool, provider, ports, start, post }) => {
      await start(ports[0]);
      const pay = async (): Promise<unknown> => {
        const response = await post('/payment', 'a', { cents: 100, card: 'declined' });
        return [response.status, (await response.json() as { readonly code: unknown }).code];
      };
      assert.equal([await pay(), await pay()], [[402, 'card_declined'], [402, 'card_declined']]);
      await pool.query('DELETE FROM restpoint_key');
      assert.equal([await pay(), provider.asked.length, provider.made.length], [[402, 'card_declined'], 1, 0]);
    })
  )],
  ['a payment that is pending when its key expires is not sent again: it is rejected, or done if it was made', (setting) => (
    withShop(setting, () => 'before', RECONCILES, async ({ pool, provider, ports, start, post }) => {
      await pool.query(`INSERT INTO payment (key, customer, cents, card, created, checked)
        SELECT key, 'ann', 100, 'good', now() - hours * interval '1 hour', now() - interval '1 hour'
        FROM (VALUES ('young', 12.5), ('old', 13.5), ('made', 13.5)) AS payments (key, hours)`);
      provider.made.push({ key: 'made', id: 'charge-1', cents: 100 });
      await start(ports[0]);
      await waitUntil(async () => (await readRows(pool)).filter(({ state }) => state === 'pending').length === 1, 'the reconciler');
      assert.equal((await readRows(pool)).map(({ key, state, code }) => [key, state, code]), [
        ['young', 'pending', null], ['old', 'rejected', 'expired'], ['made', 'done', null],
      ]);
      assert.equal(provider.asked, []);
      assert.is((await post('/payment', 'a', { cents: 100, card: 'good' })).status, 503);
    })
  )],
  ['a refund that the provider rejects leaves its amount to others, and only the customer of a charge has refunds', (setting) => (
    withShop(setting, inTurn(), {}, async ({ pool, ports, start, post, of }) => {
      await start(ports[0]);
      await start(ports[1]);
      assert.is((await post('/payment', 'a', { cents: 100, card: 'good' })).status, 201);
      const refund = async (key: string, cents: number, id = 1): Promise<number> => (await post(`/payment/${id}/refund`, key, { cents })).status;
      assert.equal([await refund('b', REJECTED_REFUND), await refund('b', REJECTED_REFUND)], [402, 402]);
      assert.equal([await refund('c', 101), await refund('a', 100), await refund('e', 1)], [409, 200, 409]);
      const [{ id: refundId } = { id: 0 }] = (await readRows(pool)).filter(({ cents, refund_of: of }) => of !== null && cents === 100);
      assert.is(await refund('f', 1, refundId), 409);
      assert.equal(await of('bob').itemCustom.refund(1, { cents: 1 }, { idempotencyKey: 'a' }).catch(errorOf), { status: 409, code: undefined });
      assert.equal((await readRows(pool)).map(({ state, refunded }) => [state, refunded]), [['done', 100], ['rejected', 0], ['done', 0]]);
    })
  )],
  ['a rejected refund that a request and the reconciler settle leaves its amount once', (setting) => (
    withShop(setting, inTurn(undefined, 'silent'), { ...RECONCILES, 'RESPONSE_MS = 10_000': 'RESPONSE_MS = 3_000' }, async ({ pool, ports, start, post }) => {
      await start(ports[0]);
      assert.is((await post('/payment', 'a', { cents: 100, card: 'good' })).status, 201);
      // The reconciler knows before the request does.
      assert.is((await post('/payment/1/refund', 'b', { cents: REJECTED_REFUND })).status, 402);
      assert.equal((await readRows(pool)).map(({ state, refunded, code }) => [state, refunded, code]), [['done', 0, null], ['rejected', 0, 'disputed']]);
    })
  )],
];
