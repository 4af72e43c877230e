/** The meaning of errors of PostgreSQL, of the connection to it, and of the store. */
import { classifyFailure } from '../../examples/zoo/store/postgres/failure.ts';
import { assert, suite } from '../support/facts.ts';

/** As `pg` makes it from the server's report. */
function makeError(code: string): Error {
  return Object.assign(new Error('reported'), { severity: 'ERROR', code });
}

/** As Node makes it of a call of the system. */
function ofSystem(code: string): Error {
  return Object.assign(new Error('of the system'), { code, syscall: 'connect' });
}

const failures = suite('an error of PostgreSQL');
for (const [what, error, expected] of [
  ['unique_violation', makeError('23505'), 'unique'],
  ['foreign_key_violation', makeError('23503'), 'foreign key'],
  ['serialization_failure', makeError('40001'), 'rolled back'],
  ['deadlock_detected', makeError('40P01'), 'rolled back'],
  ['connection_failure', makeError('08006'), 'unavailable'],
  ['read_only_sql_transaction', makeError('25006'), 'unavailable'],
  ['too_many_connections', makeError('53300'), 'unavailable'],
  ['query_canceled', makeError('57014'), 'unavailable'],
  ['admin_shutdown', makeError('57P01'), 'unavailable'],
  ['no connection', ofSystem('ECONNREFUSED'), 'unavailable'],
  ['no connection, to any address', new AggregateError([ofSystem('ECONNREFUSED')]), 'unavailable'],
  ['no socket, which does not mean that something in the store is not found', ofSystem('ENOENT'), 'unavailable'],
  ['a lost connection, whose code looks like an SQLSTATE', ofSystem('EPIPE'), 'unavailable'],
  ['a time limit of pg', new Error('Query read timeout'), 'unavailable'],
  ['check_violation', makeError('23514'), 'mistake'],
  ['syntax_error', makeError('42601'), 'mistake'],
  ['object_in_use, which only begins like a lost connection', makeError('55006'), 'mistake'],
  ['a mistake of ours', new TypeError('undefined is not a function'), 'mistake'],
  ['no error at all', 'a string', 'mistake'],
] as const) {
  failures(`${what} -> ${expected}`, () => assert.is(classifyFailure(error), expected));
}
