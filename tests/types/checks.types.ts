/** The types of `restpoint/checks`. Compiling this file is the test. */
import { checks, type ChecksOptions, type Sample, type SampleMaker } from '../../src/checks/index.ts';
import { ApiServer } from '../../src/index.ts';
import { same } from './schemas.ts';

const made: SampleMaker = async () => ({ params: { id: 1 }, body: async () => ({ name: 'Rex' }) });
const options: ChecksOptions = { samples: { petGet: false, petList: { varies: true }, petCreate: () => ({ body: 1 }), petFeed: made } };
const [check] = checks(new ApiServer(''), options);
same<NonNullable<typeof check>['rules'], readonly string[]>(true);
export const raced: ChecksOptions = { concurrency: 0, strangers: { petGet: { authorization: 'Bearer bob' } } };
// @ts-expect-error credentials are by operation
export const stranger: ChecksOptions = { strangers: { authorization: 'Bearer bob' } };
same<Awaited<ReturnType<SampleMaker>>, Sample>(true);
// @ts-expect-error a sample has no property of this name
export const misspelt: ChecksOptions = { samples: { petGet: { parms: {} } } };
// @ts-expect-error a function makes a sample
export const nothing: SampleMaker = () => {};
