export { idempotent, type IdempotentForAnyone, type IdempotentOptions } from './idempotent.ts';
export { memoryKeys, type Claim, type Kept, type KeptAnswer, type Keys, type MemoryKeysOptions } from './keys.ts';
export { pages, type CodedPagesOptions, type Page, type Pages, type PagesOptions } from './pages.ts';
