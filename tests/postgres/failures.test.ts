/** `isDatabaseUnavailable` and `mapUnavailable`, by errors as they are. `npm run test:postgres` has them from servers that are stopped and killed. */
import { assert, suite } from '../support/facts.ts';
import { isDatabaseUnavailable, mapInvalidValue, mapUnavailable } from '../../src/postgres/index.ts';

const error = (message: string, properties: object = {}, cause?: unknown): Error => (
  Object.assign(new Error(message, cause === undefined ? {} : { cause }), properties)
);
const socketError = (code: string, syscall: string): Error => error(`${syscall} ${code}`, { code, syscall, errno: -1 });
const fromServer = (code: string, severity = 'ERROR'): Error => error(`failed with ${code}`, { code, severity });
const adapterError = (cause: object): Error => error('failed', { name: 'DriverAdapterError' }, cause);
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const refused = socketError('ECONNREFUSED', 'connect');
let endless = error('0');
for (let causes = 0; causes < 20; causes += 1) endless = error(String(causes), {}, endless);
const cycle = error('cycle');
cycle.cause = cycle;

const errors = suite('errors that say that the database is not available');
for (const [each, expected] of [
  [fromServer('08006', 'FATAL'), true], [fromServer('08001'), true], [fromServer('08P01', 'FATAL'), true], [fromServer('08P01'), false],
  ...['unsupported startup parameter: statement_timeout', 'no such database: pets', 'no such user: app', 'bouncer config error', 'SSL required', 'TLS connection required',
    'password authentication failed', 'SASL authentication failed'].map((text) => [error(text, { code: '08P01', severity: 'FATAL' }), false] as const),
  ...['no more connections allowed (max_client_conn)', 'query_wait_timeout', 'server login has been failing, try again later (server_login_retry)']
    .map((text) => [error(text, { code: '08P01', severity: 'FATAL' }), true] as const),
  [fromServer('53100'), true], [fromServer('53300', 'FATAL'), true], [fromServer('53400'), false],
  [fromServer('57P01', 'FATAL'), true], [fromServer('57P05', 'FATAL'), true], [fromServer('57014'), false], [fromServer('25006'), true],
  [fromServer('23505'), false], [fromServer('40001'), false], [fromServer('25P02'), false], [fromServer('28P01', 'FATAL'), false],
  [refused, true], [socketError('ENOENT', 'connect'), true], [socketError('ENOTFOUND', 'getaddrinfo'), true], [socketError('EAI_AGAIN', 'getaddrinfo'), true],
  [socketError('ECONNRESET', 'read'), true], [socketError('EPIPE', 'write'), true], [socketError('ETIMEDOUT', 'read'), true],
  [socketError('EISDIR', 'read'), false], [socketError('ENOENT', 'open'), false], [socketError('EADDRINUSE', 'listen'), false],
  [Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' }), true],
  [error('connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED' }), true],
  [error('socket hang up', { code: 'ECONNRESET' }), false], [error('Request failed', { code: 'ECONNREFUSED', syscall: 'connect', config: {} }), false],
  [error('connect ECONNREFUSED 127.0.0.1:80', { code: 'ECONNREFUSED', options: {} }, refused), false],
  [error('Client network socket disconnected before secure TLS connection was established', { code: 'ECONNRESET' }), true],
  ...['Connection terminated', 'Connection terminated unexpectedly', 'Connection terminated due to connection timeout', 'timeout expired',
    'timeout exceeded when trying to connect', 'Query read timeout', 'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable'].map((text) => [error(text), true] as const),
  ...['the provider had a timeout', 'Connection terminated by the provider', 'The connection is not good', 'Cannot use a pool after calling end on the pool']
    .map((text) => [error(text), false] as const),
  [new TypeError('fetch failed', { cause: refused }), false], [new DOMException('aborted due to timeout', 'TimeoutError'), false],
  [error('no charge', {}, new TypeError('fetch failed', { cause: refused })), false],
  [error('Failed query: SELECT 1', {}, refused), true], [error('Failed query: SELECT 1', {}, error('Connection terminated unexpectedly')), true],
  [error('\nInvalid `prisma.pet.findMany()` invocation:\n\n\nconnect ENOENT /run/.s.PGSQL.5432', { code: 'ENOENT' }), true],
  [error('P1001', { code: 'P1001', meta: {} }), true], [error('P2002', { code: 'P2002', meta: {} }), false],
  [error('P2039', { code: 'P2039', meta: { driverAdapterError: adapterError({ kind: 'postgres', originalCode: '57P01' }) } }), true],
  [error('P2010', { code: 'P2010', meta: { driverAdapterError: adapterError({ kind: 'postgres', originalCode: '42P01' }) } }), false],
  [error('write CONNECTION_CLOSED 127.0.0.1:5432', { code: 'CONNECTION_CLOSED' }), true], [error('CONNECTION_ENDED', { code: 'CONNECTION_ENDED' }), false],
  [undefined, false], [null, false], ['Connection terminated', false], [revoked, false], [error('revoked', {}, revoked), false], [endless, false], [cycle, false],
] as const) {
  const { message, code } = (each === revoked ? {} : Object(each)) as { readonly message?: string; readonly code?: unknown };
  errors(`${message || typeof each} ${String(code)} -> ${expected}`, () => {
    assert.is(isDatabaseUnavailable(each), expected);
    const mapped = mapUnavailable(each);
    if (expected) assert.equal([mapped?.status, mapped?.cause === each], [503, true]);
    else assert.is(mapped, undefined);
  });
}

const PARAMETER = { where: "unnamed portal parameter $1 = '...'" };
const values = suite('errors that say that a value cannot be stored');
for (const [code, properties, expected] of [
  ['22003', {}, true], ['22001', {}, true], ['22007', {}, true], ['22008', {}, true], ['54000', {}, true], ['P2020', {}, true],
  ['22P02', {}, false], ['22012', {}, false], ['23505', {}, false], ['54001', {}, false], ['122003', {}, false],
  ['22P02', PARAMETER, true], ['22021', PARAMETER, true], ['54000', PARAMETER, false], ['42804', PARAMETER, false],
  ['22P05', { where: `JSON data, line 1: "\\u0000...\nportal "x" parameter $12` }, true],
  ['22003', { position: '8' }, false], ['22003', { where: 'PL/pgSQL function f(bigint) line 1 at SQL statement' }, false],
  ['22003', { where: 'PL/pgSQL function unnamed portal parameter $1' }, false],
] as const) {
  values(`${code} ${JSON.stringify(properties)} -> ${expected}`, () => {
    const thrown = error('failed', { code, ...properties });
    for (const each of [thrown, error('Failed query', {}, thrown)]) {
      const mapped = mapInvalidValue(each);
      assert.equal([mapped?.status, mapped?.cause], expected ? [400, each] : [undefined, undefined]);
    }
  });
}
