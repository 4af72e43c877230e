export { idempotent, type Idempotent, type IdempotentOptions } from './idempotent.ts';
export type { IdempotencyClaim, IdempotencyRecord, IdempotencyStore, StoredResponse } from './idempotency-store.ts';
export { memoryIdempotencyStore, type MemoryIdempotencyStoreOptions } from './memory-idempotency-store.ts';
export { memoryRates, type MemoryRatesOptions } from './memory-rates.ts';
export { pages, type CodedPagesOptions, type Page, type Pages, type PagesOptions } from './pages.ts';
export {
  rateLimit, type CallerRateLimit, type CallerRateLimitOptions, type RateLimit, type RateLimitOptions, type RateLimitRequest,
} from './rate-limit.ts';
export type { RatePolicy, RateStore, RateTaken } from './rate-store.ts';
