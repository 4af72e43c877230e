export type { RunConditions } from '../endpoint/checked-interceptor.ts';
export type { WithoutContext } from '../declaration/interceptor.ts';
export { idempotent, type Idempotent, type IdempotentOptions, type WithIdempotencyKey } from './idempotent.ts';
export {
  memoryIdempotencyStore, type IdempotencyClaim, type IdempotencyRecord, type IdempotencyStore, type MemoryIdempotencyStoreOptions,
  type StoredResponse,
} from './idempotency-stores.ts';
export { memoryRates, type MemoryRatesOptions, type RatePolicy, type RateStore, type RateTaken } from './rate-stores.ts';
export { pages, type PagesOptions } from './pages.ts';
export { dateKey } from './page-query.ts';
export type { Page, PageDirection, Pages, SortedPage } from './page-types.ts';
export {
  rateLimit, type CallerRateLimit, type CallerRateLimitOptions, type RateLimit, type RateLimitOptions, type RateLimitRequest,
} from './rate-limit.ts';
