export { idempotent, type Idempotent, type IdempotentOptions } from './idempotent.ts';
export type { IdempotencyClaim, IdempotencyRecord, IdempotencyStore, StoredResponse } from './idempotency-store.ts';
export { memoryIdempotencyStore, type MemoryIdempotencyStoreOptions } from './memory-idempotency-store.ts';
export { memoryRates, type MemoryRatesOptions } from './memory-rates.ts';
export { pages, type CodedPagesOptions, type PagesOptions } from './pages.ts';
export { dateKey } from './page-cursors.ts';
export type { Page, PageDirection, Pages, SortedPage } from './page-types.ts';
export {
  rateLimit, type CallerRateLimit, type CallerRateLimitOptions, type RateLimit, type RateLimitOptions, type RateLimitRequest,
} from './rate-limit.ts';
export type { RatePolicy, RateStore, RateTaken } from './rate-store.ts';
