export {
  postgresEvents, type AppendedEvent, type FilterEventsOptions, type PostgresEvents, type PostgresEventsOptions, type ReadEventsOptions,
  type StoredEvent,
} from './events.ts';
export { isDatabaseUnavailable, mapInvalidValue, mapUnavailable } from './failures.ts';
export { postgresIdempotencyStore, type PostgresIdempotencyStoreOptions } from './idempotency.ts';
export { keyset, type Keyset, type KeysetColumns, type KeysetOptions, type KeysetPage } from './keyset.ts';
export type {
  ConnectingPool, PostgresClient, PostgresPool, PostgresQueries, PostgresResult, SharedConnection, TransactionOf,
} from './pool.ts';
export { postgresRates } from './rates.ts';
export type { Isolation } from './run-transaction.ts';
export { postgresTables, type PostgresTablesOptions } from './tables.ts';
export { inTransaction, type InTransactionOptions, transaction, type Transaction, type TransactionOptions } from './transaction.ts';
