export { idempotent, type Idempotent, type IdempotentOptions } from './idempotent.ts';
export type { IdempotencyClaim, IdempotencyRecord, IdempotencyStore, StoredResponse } from './idempotency-store.ts';
export { memoryIdempotencyStore, type MemoryIdempotencyStoreOptions } from './memory-idempotency-store.ts';
export { pages, type CodedPagesOptions, type Page, type Pages, type PagesOptions } from './pages.ts';
