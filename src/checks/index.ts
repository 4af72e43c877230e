export { checks, type CheckedServer } from './checks.ts';
export type { Check } from './row.ts';
export type { ChecksOptions, Sample, SampleMaker } from './checks-options.ts';
