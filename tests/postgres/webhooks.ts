/** The sender of docs/webhooks.md: each change that is committed is announced, until the receiver has it. The package `standardwebhooks` verifies. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as assert from 'uvu/assert';
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait.ts';
import { readFences } from '../support/markdown.ts';
import { withPool, type Case, type Setting } from './case.ts';
import { checkCommands, loadShownPrograms, withShownProgram, type Shown } from './shown-program.ts';

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Sending extends Shown {
  readonly pool: Pool;
  readonly port: number;
  readonly received: readonly Received[];
  readonly create: (name: string) => Promise<number>;
}

const PAGE = { page: 'webhooks.md', name: 'webhook-sender.ts' };
/** The statement of the page that adds a receiver. */
const INSERT = readFences(readFileSync(join('docs', PAGE.page), 'utf8')).find((fence) => fence.text.startsWith('INSERT'))?.text ?? '';
const QUICK = { 'FIRST_DELAY_SECONDS = 10': 'FIRST_DELAY_SECONDS = 1' };
const OLD = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

/** What the package `standardwebhooks` returns for a webhook. Throws if it is not signed with this secret. */
function verify(secret: string, { body, headers }: Received): unknown {
  const { Webhook } = createRequire(join(process.cwd(), 'tests.js'))('standardwebhooks') as {
    Webhook: new (secret: string) => { verify(body: string, headers: object): unknown };
  };
  return new Webhook(secret).verify(body, headers);
}

/** Starts the program with a receiver, which responds to its first requests as `responds` say, and to others with 204. */
async function deliver(
  { url }: Setting, responds: readonly ((response: ServerResponse, request: IncomingMessage) => unknown)[],
  changes: Readonly<Record<string, string>>, use: (deliver: Sending) => Promise<void>, secrets: readonly string[] = [OLD],
): Promise<void> {
  const received: Received[] = [];
  const receiver = createServer(async (request, response) => {
    const body = await text(request);
    const respond = responds[received.length] ?? (() => response.writeHead(204).end());
    received.push({ url: request.url, headers: request.headers, body });
    respond(response, request);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    await withPool(url, (pool) => withShownProgram({ ...PAGE, url, changes }, async (shown) => {
      const port = await findFreePort();
      const at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      await pool.query('INSERT INTO receiver (url, secrets) VALUES ($1, $2)', [at, secrets]);
      const create = async (name: string): Promise<number> => {
        const headers = { 'Content-Type': 'application/json' };
        return (await fetch(`http://127.0.0.1:${port}/v1/pet`, { method: 'POST', headers, body: JSON.stringify({ name }) })).status;
      };
      await use({ ...shown, pool, port, received, create });
    }));
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function count(pool: Pool, table: string): Promise<number> {
  return Number((await pool.query(`SELECT count(*) FROM ${table}`)).rows[0]?.['count']);
}
const allAreSent = (pool: Pool): Promise<void> => (
  waitUntil(async () => (await count(pool, "pgboss.job WHERE name = 'webhook' AND state <> 'completed'")) === 0, 'the end of the outbox')
);

export const WEBHOOKS: readonly Case[] = [
  ['the commands print what the page shows', ({ url }) => checkCommands({ ...PAGE, url })],
  ['a receiver that fails, and breaks the connection: the webhook is sent again, with its id and a signature for each time', (setting) => {
    const fail = (response: ServerResponse): unknown => response.writeHead(503).end();
    return deliver(setting, [fail, (_response, { socket }) => socket.destroy()], QUICK, async ({ pool, port, start, received, create }) => {
      await start(port);
      assert.is(await create('Rex'), 201);
      await allAreSent(pool);
      assert.is(received.length, 3);
      assert.is(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
      for (const each of received) {
        const { type, data } = verify(OLD, each) as { readonly type: string; readonly data: unknown };
        assert.equal([type, data], ['pet.created', { id: 1, name: 'Rex' }]);
        assert.throws(() => verify(NEW, each));
        assert.throws(() => verify(OLD, { ...each, body: each.body.replace('Rex', 'Max') }));
      }
    });
  }],
  ['the receiver of the page, in the table by the statement of the page, gets the webhook', async ({ url }) => {
    await withShownProgram({ ...PAGE, name: 'webhook-receiver.ts' }, async (receiver) => {
      const at = await findFreePort();
      await receiver.start(at);
      const received = async (): Promise<string> => (await fetch(`http://127.0.0.1:${at}/v1/webhook`)).text();
      await withPool(url, (pool) => withShownProgram({ ...PAGE, url }, async ({ start, commands, printedBy }) => {
        assert.match(INSERT, 'https://shop.example');
        await pool.query(INSERT.replace('https://shop.example', `http://127.0.0.1:${at}`));
        const port = await findFreePort();
        await start(port);
        await printedBy(commands, { port, pid: 0 });
        await allAreSent(pool);
        assert.is(await received(), '["Rex"]');
      }));
    });
  }],
  ['the receiver does not start without a secret, with which everybody could sign', async () => {
    const { listPrograms, withScratch, run } = await loadShownPrograms();
    const program = listPrograms(PAGE.page).find(({ name }) => name === 'webhook-receiver.ts');
    if (program === undefined) throw new Error('the page shows no receiver');
    for (const environment of ['{}', "{ WEBHOOK_SECRET: 'whsec_' }", "{ WEBHOOK_SECRET: 'whsec_dGhlIGtleQ==' }"]) {
      const { status, output } = await withScratch((folder) => run({ ...program, code: program.code.replace('process.env', environment) }, folder));
      assert.is(status, 1);
      assert.match(output, 'WEBHOOK_SECRET must be whsec_ and at least 24 bytes in Base64');
    }
  }],
  ['the receiver compares eight signatures, and wants an id', async () => {
    const { ENVIRONMENT } = await loadShownPrograms();
    const key = Buffer.from(String(ENVIRONMENT['WEBHOOK_SECRET']).replace('whsec_', ''), 'base64');
    await withShownProgram({ ...PAGE, name: 'webhook-receiver.ts' }, async (receiver) => {
      const at = await findFreePort();
      await receiver.start(at);
      const body = JSON.stringify({ type: 'pet.created', data: { name: 'Rex' } });
      const post = async (id: string | undefined, others: number): Promise<number> => {
        const timestamp = String(Math.floor(Date.now() / 1000));
        const signature = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
        const headers = {
          'Content-Type': 'application/json', 'webhook-timestamp': timestamp, ...(id !== undefined && { 'webhook-id': id }),
          'webhook-signature': [...Array(others).fill('v1,x'), signature].join(' '),
        };
        return (await fetch(`http://127.0.0.1:${at}/v1/webhook`, { method: 'POST', headers, body })).status;
      };
      assert.equal([await post('one', 7), await post('two', 8), await post(undefined, 0)], [204, 403, 403]);
    });
  }],
  ['two secrets: the receiver can know either', (setting) => deliver(setting, [], {}, async ({ pool, port, start, received, create }) => {
    await start(port);
    await create('Rex');
    await allAreSent(pool);
    const [webhook] = received as [Received];
    assert.equal(verify(NEW, webhook), verify(OLD, webhook));
    assert.is(String(webhook.headers['webhook-signature']).split(' ').length, 2);
  }, [NEW, OLD])],
  ['a process that is killed while the receiver has not responded: a new one sends the webhook again', (setting) => {
    const changes = { 'LEASE_SECONDS = 30': 'LEASE_SECONDS = 1', 'CHECK_SECONDS = 15': 'CHECK_SECONDS = 1' };
    return deliver(setting, [() => {}], changes, async ({ pool, port, start, received, create }) => {
      const child = await start(port);
      await create('Rex');
      await waitUntil(() => received.length === 1, 'the first attempt');
      assert.is(await child.end('SIGKILL'), null);
      await start(port);
      await allAreSent(pool);
      assert.equal(received.map(({ headers }) => headers['webhook-id']), Array(received.length).fill(received[0]?.headers['webhook-id']));
      assert.ok(received.length >= 2);
    });
  }],
  ['a change that is rolled back is not announced', (setting) => deliver(setting, [], {}, async ({ pool, port, start, received, create }) => {
    await start(port);
    await pool.query("ALTER TABLE pgboss.job ADD CHECK (data->>'body' NOT LIKE '%Max%')");
    // The second one fails when it commits.
    await pool.query('ALTER TABLE pet ADD UNIQUE (name) DEFERRABLE INITIALLY DEFERRED');
    assert.equal([await create('Max'), await create('Rex'), await create('Rex')], [500, 201, 500]);
    await allAreSent(pool);
    assert.equal([await count(pool, 'pet'), received.length], [1, 1]);
  })],
  ['a redirect is not followed, and is a failure', (setting) => {
    const redirect = (response: ServerResponse): unknown => response.writeHead(307, { Location: '/internal' }).end();
    return deliver(setting, [redirect], QUICK, async ({ pool, port, start, received, create }) => {
      await start(port);
      await create('Rex');
      await allAreSent(pool);
      assert.equal(received.map(({ url }) => url), ['/hook', '/hook']);
    });
  }],
  ['a receiver that does not respond leaves workers to the others', (setting) => {
    const hang = (response: ServerResponse, { url }: IncomingMessage): unknown => url === '/hang' || response.writeHead(204).end();
    const changes = { 'RESPONSE_MS = 10_000': 'RESPONSE_MS = 600_000', 'LEASE_SECONDS = 30': 'LEASE_SECONDS = 900' };
    return deliver(setting, Array(20).fill(hang), changes, async ({ pool, port, start, received, create }) => {
      await start(port);
      await pool.query(`INSERT INTO receiver (url, secrets) SELECT replace(url, '/hook', '/hang'), secrets FROM receiver`);
      const names = ['Rex', 'Max', 'Bello', 'Asta', 'Luna'];
      for (const name of names) await create(name);
      const countOf = (path: string): number => received.filter(({ url }) => url === path).length;
      await waitUntil(() => countOf('/hook') === names.length && countOf('/hang') > 0, 'the webhooks of the other receiver');
      assert.ok(countOf('/hang') <= 2);
    });
  }],
  ['after the last attempt the webhook stays, and is not sent again', (setting) => {
    const gone = (response: ServerResponse): unknown => response.writeHead(410).end();
    return deliver(setting, [gone, gone], { ...QUICK, 'MAX_ATTEMPTS = 14': 'MAX_ATTEMPTS = 2' }, async ({ pool, port, start, received, create }) => {
      const child = await start(port);
      await create('Rex');
      await child.waitForOutput(/webhook [0-9a-f-]{36} is not delivered after 2 attempts/);
      await waitUntil(async () => (await count(pool, "pgboss.job WHERE name = 'webhook' AND state = 'failed'")) === 1, 'the webhook that stays');
      assert.is(received.length, 2);
    });
  }],
  ['a webhook that cannot be signed has a last attempt too', (setting) => {
    return deliver(setting, [], { ...QUICK, 'MAX_ATTEMPTS = 14': 'MAX_ATTEMPTS = 2' }, async ({ port, start, received, create }) => {
      const child = await start(port);
      await create('Rex');
      await child.waitForOutput(/webhook [0-9a-f-]{36} is not delivered after 2 attempts/);
      assert.is(received.length, 0);
    }, [null as never]);
  }],
];
