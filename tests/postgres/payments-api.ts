/**
 * The payments API of examples/payments, which has nothing but this package, `pg` and `jose`. It is compiled and started as a user would, with
 * an identity provider of this test, and called by clients that repeat, compete and overdraw.
 */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { Child } from '../support/child.ts';
import { withPool, type Case, type Setting } from './case.ts';

// The runner's working directory is tests/compat.
const ROOT = '../..';
const EXAMPLE = join(ROOT, 'examples/payments');
const PAGE = 'https://shop.example';
const AUDIENCE = 'payments';

interface World {
  readonly pool: Pool;
  readonly output: () => string;
  readonly url: string;
  readonly provider: Awaited<ReturnType<typeof openProvider>>;
  /** Sends a request as the owner of an account. */
  call(path: string, init?: RequestInit & { readonly account?: string; readonly key?: string; readonly expired?: boolean }): Promise<Response>;
  pay(cents: number, key: string, account?: string, to?: string): Promise<Response>;
  balances(): Promise<Record<string, number>>;
}

/** Compiles the example beside links to the packages that it names, and returns the folder. */
function buildExample(folder: string): string {
  const copy = mkdtempSync(join(folder, 'payments-'));
  cpSync(join(EXAMPLE, 'src'), join(copy, 'src'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(EXAMPLE, file), join(copy, file));
  mkdirSync(join(copy, 'node_modules/@types'), { recursive: true });
  const packages = { 'restpoint': ROOT, '@types/node': join(ROOT, 'node_modules/@types/node'), 'typescript': join(ROOT, 'node_modules/typescript') };
  for (const [name, path] of Object.entries(packages)) symlinkSync(join(process.cwd(), path), join(copy, 'node_modules', name));
  for (const name of ['jose', 'pg', '@types/pg']) symlinkSync(join(process.cwd(), 'node_modules', name), join(copy, 'node_modules', name));
  execFileSync(process.execPath, [join(copy, 'node_modules/typescript/bin/tsc'), '-p', copy], { stdio: 'pipe' });
  return copy;
}

/** An identity provider: its key set, and a function that issues tokens. */
async function openProvider() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' };
  const server = createServer((_request, response) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] })));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const issue = (sub: string, lifetime = 60, scope = 'payment:write'): string => {
    const claims = { iss: issuer, aud: AUDIENCE, sub, scope, exp: Math.floor(Date.now() / 1000) + lifetime };
    const signed = `${encode({ alg: 'ES256', kid: 'one' })}.${encode(claims)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  return { issuer, issue, close: () => server.close().closeAllConnections() };
}

export async function servePaymentsApi({ folder, url: database }: Setting, use: (world: World) => Promise<void>): Promise<void> {
  const copy = buildExample(folder);
  const provider = await openProvider();
  const environment = { DATABASE_URL: database, ISSUER: provider.issuer, AUDIENCE, ORIGINS: PAGE, PORT: '0' };
  const program = new Child([join(copy, 'dist/main.js')], environment);
  try {
    const [, url = ''] = await program.waitForOutput(/listening on (\S+)/);
    await withPool(database, async (pool) => {
      await pool.query(`INSERT INTO account VALUES ('ann', 100), ('bob', 0)`);
      const call: World['call'] = (path, { account = 'ann', key, expired = false, headers, ...init } = {}) => fetch(url + path, {
        ...init,
        headers: {
          Origin: PAGE, Authorization: `Bearer ${provider.issue(account, expired ? -60 : 60)}`,
          ...(key === undefined ? {} : { 'Idempotency-Key': key }), ...headers,
        },
      });
      await use({
        pool,
        output: () => program.output,
        url,
        provider,
        call,
        pay: (cents, key, account = 'ann', to = 'bob') => call('/v1/payment', {
          method: 'POST', account, key, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ to, cents }),
        }),
        balances: async () => {
          const { rows } = await pool.query('SELECT name, cents FROM account');
          return Object.fromEntries(rows.map(({ name, cents }) => [String(name), Number(cents)]));
        },
      });
    });
    assert.is(await program.end(), 0);
  } finally {
    await program.end('SIGKILL');
    provider.close();
  }
}

const CHECKS = `
import { checks } from 'restpoint/checks';
import { createApi } from './api.js';
import { openDatabase } from './database.js';
const { DATABASE_URL, ISSUER, AUDIENCE, TOKEN } = process.env;
const pool = await openDatabase(DATABASE_URL);
await pool.query("INSERT INTO account VALUES ('ann', 1000000), ('bob', 0)");
const { server } = createApi(pool, { issuer: ISSUER, audience: AUDIENCE, origins: [] });
const failed = [];
let ran = 0;
const samples = { paymentCreate: { body: { to: 'bob', cents: 1 } }, currencyGet: { params: { id: 'EUR' } } };
for (const { name, run, isSkipped } of checks(server, { headers: { authorization: \`Bearer \${TOKEN}\` }, samples })) {
  if (isSkipped) continue;
  ran += 1;
  await run().catch(({ message }) => failed.push(\`\${name}: \${message}\`));
}
console.log(\`checked \${JSON.stringify({ ran, failed })}\`);
`;

const statuses = (responses: readonly Response[]): number[] => responses.map(({ status }) => status).sort((first, second) => first - second);

export const PAYMENTS_API: readonly Case[] = [
  ['its sources have no cast, no middleware and no other package', async () => {
    const { dependencies } = JSON.parse(readFileSync(join(EXAMPLE, 'package.json'), 'utf8')) as { dependencies: object };
    assert.equal(Object.keys(dependencies).sort(), ['jose', 'pg', 'restpoint']);
    const files = readdirSync(join(EXAMPLE, 'src'));
    assert.ok(files.length >= 4);
    for (const file of files) {
      const code = readFileSync(join(EXAMPLE, 'src', file), 'utf8').replaceAll(/\/\*\*.*?\*\/|\/\/.*/gs, '');
      assert.is(/\bas (?!const\b)|\bany\b|[\w)\]]!|@ts-|\.use\(/.exec(code.replaceAll(/^import.*$/gm, ''))?.[0], undefined, file);
    }
  }],
  ['keeps its declarations, by their checks', async ({ folder, url }) => {
    const copy = buildExample(folder);
    const provider = await openProvider();
    const program = join(copy, 'dist/checks.js');
    writeFileSync(program, CHECKS);
    const child = new Child([program], { DATABASE_URL: url, ISSUER: provider.issuer, AUDIENCE, TOKEN: provider.issue('ann', 600) });
    try {
      const [, found = ''] = await child.waitForOutput(/^checked (.*)$/m);
      const { ran, failed } = JSON.parse(found) as { readonly ran: number; readonly failed: readonly string[] };
      assert.equal(failed, []);
      assert.ok(ran > 25, `${ran} checks`);
    } finally {
      await child.end('SIGKILL');
      provider.close();
    }
  }],
  ['its page of a different origin reads results and errors, and no other page does', (setting) => servePaymentsApi(setting, async ({ url, call, provider }) => {
    const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key' };
    const preflight = await fetch(`${url}/v1/payment`, { method: 'OPTIONS', headers: { Origin: PAGE, ...asked } });
    assert.is(preflight.status, 204);
    assert.match(preflight.headers.get('Access-Control-Allow-Methods') ?? '', /\bPOST\b/);
    for (const name of [/\bAuthorization\b/, /\bContent-Type\b/, /\bIdempotency-Key\b/]) {
      assert.match(preflight.headers.get('Access-Control-Allow-Headers') ?? '', name);
    }
    const rejected = await call('/v1/payment', { expired: true });
    assert.equal([rejected.status, rejected.headers.get('Access-Control-Allow-Origin')], [401, PAGE]);
    const [head = '', claims = ''] = provider.issue('ann').split('.');
    const unsigned = [`${head}.${claims}.${'A'.repeat(86)}`, `${head.replace(/.$/, 'A')}.${claims}.AA`, 'no-token'];
    for (const token of unsigned) assert.is((await call('/v1/payment', { headers: { Authorization: `Bearer ${token}` } })).status, 401, token);
    const other = await call('/v1/payment', { headers: { Origin: 'https://evil.example' } });
    assert.equal([other.status, other.headers.get('Access-Control-Allow-Origin')], [200, null]);
  })],
  ['a payment that is sent many times is made once', (setting) => servePaymentsApi(setting, async ({ pay, balances }) => {
    const first = await Promise.all(Array.from({ length: 8 }, () => pay(30, 'a')));
    assert.ok(statuses(first).every((status) => status === 201 || status === 409), String(statuses(first)));
    const again = await pay(30, 'a');
    assert.equal([again.status, again.headers.get('Idempotent-Replayed'), await again.text()], [201, 'true', '1']);
    assert.is((await pay(31, 'a')).status, 422);
    assert.equal(await balances(), { ann: 70, bob: 30 });
  })],
  ['a payment that is declined is kept, and its response is repeated', (setting) => servePaymentsApi(setting, async ({ call, pay, balances }) => {
    for (const replayed of [null, 'true']) {
      const declined = await pay(101, 'b');
      assert.equal([declined.status, declined.headers.get('Idempotent-Replayed')], [402, replayed]);
      assert.equal(await declined.json(), {
        type: 'about:blank', title: 'Payment Required', status: 402, detail: 'The balance is too low.', code: 'declined',
      });
    }
    assert.equal(await (await call('/v1/payment')).json(), [{ id: '1', payee: 'bob', cents: '101', state: 'declined' }]);
    assert.equal(await (await call('/v1/payment', { account: 'bob' })).json(), []);
    assert.equal(await balances(), { ann: 100, bob: 0 });
  })],
  ['one to an account that does not exist is rejected', (setting) => servePaymentsApi(setting, async ({ pay, balances }) => {
    for (const cents of [30, 101]) {
      const rejected = await pay(cents, `e${cents}`, 'ann', 'nobody');
      assert.equal([rejected.status, (await rejected.json() as { readonly code: string }).code], [422, 'unknown-payee']);
    }
    assert.equal(await balances(), { ann: 100, bob: 0 });
  })],
  ['payments in both directions at once, to oneself and to nobody, leave the sum of all accounts as it was', (setting) => (
    servePaymentsApi(setting, async ({ pay, balances }) => {
      const payees = ['bob', 'ann', 'nobody', 'bob'];
      const responses = await Promise.all(['ann', 'bob'].flatMap((payer) => Array.from({ length: 8 }, (_, index) => (
        pay(index + 1, `${payer}${index}`, payer, payer === 'bob' && index % 4 === 3 ? 'ann' : payees[index % 4])
      ))));
      const others = responses.filter(({ status }) => ![201, 402, 422].includes(status));
      assert.equal(others.map(({ status }) => status), []);
      assert.is(responses.filter(({ status }) => status === 422).length, 4);
      const { ann = 0, bob = 0 } = await balances();
      assert.is(ann + bob, 100);
    })
  )],
  ['its list has pages, with the payments of the caller only', (setting) => servePaymentsApi(setting, async ({ url, call, pay }) => {
    for (const key of ['a', 'b', 'c']) assert.is((await pay(1, key)).status, 201);
    const listed: unknown[] = [];
    for (let path: string | undefined = '/v1/payment?limit=2'; path !== undefined;) {
      const page = await call(path);
      listed.push((await page.json() as { readonly id: string }[]).map(({ id }) => id));
      const [, next] = /<([^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '') ?? [];
      path = next === undefined ? undefined : new URL(next, `${url}/v1/payment`).href.slice(url.length);
    }
    assert.equal(listed, [['1', '2'], ['3']]);
    assert.equal(await (await call('/v1/payment?limit=2', { account: 'bob' })).json(), []);
  })],
  ['an eleventh payment in a second gets 429, and is not made', (setting) => servePaymentsApi(setting, async ({ pay, balances }) => {
    const responses = await Promise.all(Array.from({ length: 25 }, (_, index) => pay(1, `c${index}`)));
    const made = responses.filter(({ status }) => status === 201).length;
    assert.equal([...new Set(statuses(responses))], [201, 429]);
    assert.ok(made >= 10);
    assert.ok(responses.filter(({ status }) => status === 429).every(({ headers }) => Number(headers.get('Retry-After')) >= 1));
    assert.equal(await balances(), { ann: 100 - made, bob: made });
  })],
  ['the list of currencies may be kept for an hour, and is not sent again while it is the same', (setting) => servePaymentsApi(setting, async ({ url }) => {
    const first = await fetch(`${url}/v1/currency`);
    assert.match(first.headers.get('Cache-Control') ?? '', /\bpublic\b.*\bmax-age=3600\b/);
    const etag = first.headers.get('ETag') ?? '';
    assert.match(etag, /^"/);
    assert.is((await fetch(`${url}/v1/currency`, { headers: { 'If-None-Match': etag } })).status, 304);
    assert.is((await fetch(`${url}/v1/payment`)).headers.get('Cache-Control'), 'private, no-cache');
  })],
  ['a dispute is a form with a file', (setting) => servePaymentsApi(setting, async ({ call, pay }) => {
    assert.is((await pay(5, 'd')).status, 201);
    const dispute = (document: Blob | string): Promise<Response> => {
      const body = new FormData();
      body.set('reason', 'not delivered');
      body.set('document', document);
      return call('/v1/payment/1/dispute', { method: 'POST', body });
    };
    assert.is((await dispute('a string')).status, 400);
    assert.is((await dispute(new Blob(['x'], { type: 'text/html' }))).status, 400);
    assert.is((await dispute(new Blob(['x'.repeat(1_000_001)], { type: 'application/pdf' }))).status, 413);
    const disputed = await dispute(new Blob(['%PDF-'], { type: 'application/pdf' }));
    assert.equal([disputed.status, await disputed.json()], [200, { state: 'disputed', reason: 'not delivered' }]);
    assert.is((await dispute(new Blob(['%PDF-'], { type: 'application/pdf' }))).status, 409);
  })],
];
