/** The programs of docs over PostgreSQL, by the checks of their own declarations. */
import * as assert from 'uvu/assert';
import { findFreePort } from '../support/free-port.ts';
import type { Case } from './case.ts';
import { Provider } from './provider.ts';
import { withShownProgram } from './shown-program.ts';

const START = 'const started = await server.start(';
// No two pets have the same name.
const PET = '() => ({ body: { name: crypto.randomUUID(), legs: 4 } })';
const CRUD = `{ samples: { petCreate: ${PET}, petUpdate: ${PET} } }`;

/** A page, a program of it, the options of its checks as it would write them, and parts of the program that the test changes. */
const PROGRAMS: readonly (readonly [page: string, name: string, options: string, changes?: Readonly<Record<string, string>>])[] = [
  ['database.md', 'pg.ts', CRUD],
  ['database.md', 'drizzle.ts', CRUD],
  ['database.md', 'prisma.ts', CRUD],
  ['postgres.md', 'bookings.ts', '{ samples: { bookingCreate: { body: { room: "Blue", nights: 2 } }, eventGet: false } }', { 'limit: 100,': 'limit: 100_000,' }],
  ['database.md', 'accounts.ts', `{ samples: { accountGet: { params: { id: "1" } }, accountItemPay: { params: { id: "1" }, body: { to: 2, cents: 1 } } } }`],
  ['idempotency.md', 'shop.ts', `{
    headers: { authorization: "Bearer token-of-ann" },
    samples: { paymentCreate: { body: { cents: 100, card: "good" } }, paymentItemRefund: { body: { cents: 1 } } },
  }`, { 'http://127.0.0.1:8081': '' }],
  ['webhooks.md', 'webhook-sender.ts', '{ samples: { petCreate: { body: { name: "Rex" } } } }'],
  ['interceptors.md', 'limited-in-postgres.ts', '{ samples: { petGet: { params: { id: "1" } } } }', { 'limit: 100,': 'limit: 100_000,' }],
  ['lists.md', 'list-pets.ts', '{}'],
  ['lists.md', 'page-numbers.ts', '{}'],
  ['decoders.md', 'invoices.ts', '{ samples: { invoiceCreate: { body: { amount: "12.50", due: "2026-03-31", sent: "2026-03-02T09:30:00Z" } } } }'],
  ['operations.md', 'soft-delete.ts', `{ samples: { petCreate: ${PET} } }`],
  ['long-running-jobs.md', 'reports.ts', '{ samples: { reportCreate: { body: { year: 2025 } } } }'],
  ['long-running-jobs.md', 'exports.ts', '{ samples: { exportCreate: { body: { format: "csv" } } } }'],
];

export const CHECKED_PROGRAMS: readonly Case[] = PROGRAMS.map(([page, name, options, changes = {}]): Case => [name, async ({ url }) => {
  const run = `import('restpoint/checks').then(({ checks }) => checks(server, ${options}).filter(({ isSkipped }) => !isSkipped))`;
  const counts = `const failed: string[] = [];
let ran = 0;
for (const check of await ${run}) {
  ran += 1;
  await check.run().catch((error: Error) => failed.push(\`\${check.name}: \${error.message}\`));
}
console.log(\`checked \${JSON.stringify({ ran, failed })}\`);
`;
  await new Provider(() => undefined).serve((at) => withShownProgram({
    page, name, url, changes: { ...Object.fromEntries(Object.entries(changes).map(([part, changed]) => [part, changed || at])), [START]: `${counts}${START}` },
  }, async ({ start }) => {
    const { output } = await start(await findFreePort());
    const { ran, failed } = JSON.parse(/^checked (.*)$/m.exec(output)?.[1] ?? '{}') as { readonly ran: number; readonly failed: readonly string[] };
    assert.equal(failed, []);
    assert.ok(ran >= 3, `${ran} checks`);
  }));
}]);
