export { idempotent, type Idempotent, type IdempotentForAnyone, type IdempotentOptions } from './idempotent.ts';
export type { Claim, Kept, Keys, StoredResponse } from './keys.ts';
export { memoryKeys, type MemoryKeysOptions } from './memory-keys.ts';
export { pages, type CodedPagesOptions, type Page, type Pages, type PagesOptions } from './pages.ts';
