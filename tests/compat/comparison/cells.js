/** The cells of the tables, by the labels of their rows: each is a function of the facts about a framework. */
import { countOf, measureKib, findVersion } from './installed.js';

const MEDIA = {
  'application/problem+json': 'RFC 9457 problem', 'application/json': 'JSON', 'text/plain': 'plain text', 'text/html': 'HTML', '': 'no body',
};

/** The packages of a server. The first has the version of the page. */
const SERVERS = {
  restpoint: ['restpoint'],
  fastify: ['fastify'],
  hono: ['hono', '@hono/node-server'],
  express: ['express'],
  nest: ['@nestjs/core', '@nestjs/common', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
  elysia: ['elysia', '@elysiajs/node'],
  'ts-rest': ['@ts-rest/core', '@ts-rest/serverless'],
  orpc: ['@orpc/server', '@orpc/openapi'],
  trpc: ['@trpc/server'],
};

/** The packages that a client needs besides, and the module that a page imports. */
const CLIENTS = {
  restpoint: [[], "export { client, ProblemError } from '../../../dist/client/index.js'"],
  'ts-rest': [[], "export { initClient } from '@ts-rest/core'"],
  orpc: [['@orpc/client'], "export { createORPCClient, safe } from '@orpc/client'; export { RPCLink } from '@orpc/client/fetch'"],
  trpc: [['@trpc/client'], "export { createTRPCClient, httpBatchLink } from '@trpc/client'"],
  hono: [[], "export { hc } from 'hono/client'"],
  elysia: [['@elysiajs/eden'], "export { treaty } from '@elysiajs/eden'"],
};

const respond = ({ status, media }) => `${status}, ${MEDIA[media]}`;
const method = ({ status, allow }) => `${status}${allow === null ? '' : ' with `Allow`'}`;
const code = (text) => `\`${text}\``;

function documentOf({ document }) {
  if (document === undefined) return 'no';
  const { named, version, paths } = document;
  if (!version.startsWith('3.') || !paths.includes('/note')) throw new Error(`${named} has made OpenAPI ${version} of ${paths}`);
  return code(named);
}

/** How a framework describes a webhook. */
function webhooksOf({ name, document }) {
  if (document === undefined) return 'no';
  return document.webhooks['note.created']?.post === undefined ? 'by hand' : code({ restpoint: 'webhooks', nest: 'ApiWebhook' }[name]);
}

/** The id in the response to a request that has one. */
function requestIdOf({ identified: { id } }) {
  if (id === null) return 'no id';
  if (id === 'chosen') return 'that id, with `requestId`';
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id) ? 'a new UUID, with `requestId`' : id;
}

export const serverCells = {
  Version: ({ name }) => findVersion(SERVERS[name][0]),
  'Packages installed, besides TypeScript': ({ name }) => String(countOf(SERVERS[name])),
  'Types of a body from its schema': ({ typed }) => typed,
  'Unknown path': ({ unknown }) => respond(unknown),
  'Known path, other method': ({ other }) => method(other),
  '`OPTIONS` of a known path': ({ options }) => method(options),
  '`HEAD` where `GET` is': ({ head }) => String(head.status),
  'Body that the schema rejects': ({ rejected }) => (rejected.status < 300 ? 'no schema' : respond(rejected)),
  'Body that is not JSON': ({ malformed }) => respond(malformed),
  '`18446744073709551615` in a body': ({ number: { status, seen } }) => (seen === undefined ? String(status) : seen === 2 ** 64 ? 'rounded' : String(seen)),
  'Key `__proto__` in a body': ({ proto: { status, seen } }) => (seen === undefined ? String(status) : seen.length > 0 ? 'accepted' : 'dropped'),
  'Bytes in a body that are not UTF-8': ({ bytes: { status, seen } }) => (seen === undefined ? String(status) : seen === '\ufffd' ? 'replaced' : seen),
  'Longest body': ({ longest }) => longest ?? 'no limit',
  'Unexpected error': ({ failure }) => respond(failure),
  'Unexpected error: its message': ({ failure, inProduction }) => {
    if (!failure.isSent) return 'not sent';
    return inProduction.isSent ? 'sent' : 'sent, unless `NODE_ENV` is `production`';
  },
  'Unexpected error: logged': ({ isLogged }) => (isLogged ? 'yes' : 'no'),
  '`PUT` with an outdated `If-Match`': ({ stale }) => (stale.status < 300 ? 'done' : `${stale.status}, with \`version\``),
  '`POST` sent again, with the same `Idempotency-Key`': ({ made }) => ({ 1: 'done once, with `idempotent`', 2: 'done twice' })[made],
  'The same `POST`, sent again to a second server': ({ madeByTwo }) => ({ 1: 'done once, with `restpoint/postgres`', 2: 'done twice' })[madeByTwo],
  '`GET` with the `ETag` of the response before': ({ name, again: { tag, status } }) => {
    return tag === null ? 'no `ETag`' : `${status}${name === 'restpoint' ? ', with `etag`' : ''}`;
  },
  '`Cache-Control` of a `GET`': ({ again: { cacheControl } }) => (cacheControl === null ? 'none' : `\`${cacheControl}\`, with \`cache\``),
  '`DELETE` with a cookie, from a page of a different origin': ({ name, forged }) => {
    const { [name]: named } = { restpoint: 'cookie', hono: 'csrf' };
    return forged.status < 300 ? 'done' : `${forged.status}, with \`${named}\``;
  },
  'Pages of a list, by a cursor, with `Link`': ({ listed: { link } }) => (link === null ? 'no' : '`pages`'),
  'A list with `?sort=-name`': ({ sorted: { status, text, link } }) => (status === 200 && link !== null && text === '[{"n":2}]' ? '`pages`, with `sort`' : 'no'),
  'A read that gets `X-Request-Id: chosen`': requestIdOf,
  'OpenAPI document': documentOf,
  'Security schemes in the document': ({ document }) => (document === undefined ? 'no' : document.schemes.length > 0 ? 'from `context`' : 'by hand'),
  'Webhooks in the document': webhooksOf,
  'Metadata of the protected resource (RFC 9728)': ({ metadata: { status, text } }) => (status === 200 && JSON.parse(text).authorization_servers ? '`resource` of `bearer`' : 'no'),
  'HTTP/2': ({ http2 }) => (http2 ? 'yes' : 'no'),
  'Tests without a port': ({ inject }) => (inject?.status === 200 ? code(inject.named) : 'no'),
};

function dateOf({ client: { typed, at, text } }) {
  if (at !== 'Date') return typed === 'Date' ? 'string, typed as `Date`' : 'string';
  return text === 'Date' ? '`Date`; so is a string that looks like a date' : '`Date`';
}

function describeRejected({ client: { rejected, returned } }) {
  if (rejected === 'returned') return 'returned';
  return `rejects with ${code(rejected)}${returned === undefined ? '' : `; returned with ${code(returned)}`}`;
}

function brokenOf({ client: { broken, strict } }) {
  if (broken === undefined) return 'no schema';
  return `${broken < 300 ? 'sent' : broken}${strict ? `; ${strict.status} with ${code(strict.named)}` : ''}`;
}

export const clientCells = {
  Version: serverCells.Version,
  'Packages installed, besides TypeScript': ({ name }) => String(countOf([...SERVERS[name], ...CLIENTS[name][0]])),
  'Client, minified and gzipped': ({ name }) => `${measureKib(CLIENTS[name][1]).toFixed(1)} KiB`,
  'Rejected call': describeRejected,
  'Types of rejections': ({ client: { property } }) => (property?.holder === 'Ann' ? `by ${property.by}` : 'one for all'),
  '`Date` in a result': dateOf,
  'Result that breaks its schema': brokenOf,
  'Two calls in one request': ({ client: { batch } }) => (batch.requests === 1 ? batch.named : 'no'),
  'Repeated after a 503': ({ client: { retry } }) => (retry.requests === 2 ? retry.named : 'no'),
  'Server-sent events, typed': ({ client: { ticks } }) => (ticks?.join() === '1,2' ? 'yes' : 'no'),
  'Lists, page by page': ({ client: { pages } }) => (pages?.join() === '1,2' ? '`each`' : 'no'),
  'Changes without lost updates': ({ client: { edited } }) => (edited?.join() === '"1","1"' ? '`edit`' : 'no'),
  'Operations as MCP tools': ({ client: { tools } }) => (tools?.join() === 'noteGet' ? '`restpoint/mcp`' : 'no'),
  'OpenAPI document': documentOf,
};
