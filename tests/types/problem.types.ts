/** The types of `problem`: the inferred types, and the rejected calls. Compiling this file is the test. */
import {
  ApiError, defineEndpoint, integerId, problem, type MaybePromise, type Reply, type ReturnedProblem, type StandardSchemaV1, type StatusOptions,
} from '../../src/index.ts';
import { same, petSchema, type Pet } from './schemas.ts';

declare const pets: Map<number, Pet>;
declare const isPaid: boolean;
interface Declined { readonly code: 'declined' | 'expired'; readonly tries?: number }
declare const declined: StandardSchemaV1<Declined>;

// The status is a literal, and so are the strings of the extensions.
const made = problem(402, 'The card was declined.', { code: 'declined', at: { door: 'north' } });
same<typeof made, ReturnedProblem<{ code: 'declined'; at: { door: 'north' } }, 402>>(true);
const plain = problem(409);
same<typeof plain, ReturnedProblem<{}, 409>>(true);
const detailed = problem(503, 'Closed.', undefined, { headers: { 'Retry-After': '60' } });
same<typeof detailed, ReturnedProblem<{}, 503>>(true);
export const options: StatusOptions = { type: '/problems/declined', title: 'Declined', instance: '/v1/payment/7' };
problem(402, undefined, {}, options);
export const anyStatus = (status: number): ReturnedProblem<{}> => problem(status, 'no');
export const wide: Reply<unknown> = made;

// @ts-expect-error a success
problem(200);
// @ts-expect-error a redirect
problem(303, 'Elsewhere.');
// @ts-expect-error a status is a number
problem('402');
// @ts-expect-error extensions are an object
problem(402, 'no', 'declined');
// @ts-expect-error a misspelt option
problem(402, 'no', {}, { titel: 'Declined' });
// @ts-expect-error there is no error that it was made of
problem(402, 'no', {}, { cause: 1 });

// Every kind of operation can return one, with or without an output.
defineEndpoint({
  id: integerId,
  schema: petSchema,
  create: (pet) => (pet.legs > 4 ? problem(409, 'Too many legs.', { legs: pet.legs }) : 7),
  list: { output: (all: Pet[]) => all, run: () => (isPaid ? [...pets.values()] : problem(402)) },
  get: (id) => (isPaid ? pets.get(id) : problem(402, 'Pay first.', { price: 3 })),
  update: async (id, pet) => (isPaid ? pets.has(id + pet.legs) : problem(402)),
  patch: { input: petSchema, output: { 200: petSchema }, run: (id, pet) => (pets.has(id) ? pet : problem(402)) },
  delete: (id): MaybePromise<boolean | ReturnedProblem<{ id: number }, 409>> => (isPaid ? pets.delete(id) : problem(409, 'In use.', { id })),
  custom: {
    pay: { input: petSchema, status: 202, run: async () => (isPaid ? { paid: true } : problem(402, 'no', { code: 'declined' })) },
    count: () => (isPaid ? pets.size : problem(402)),
  },
  itemCustom: {
    wake: { stringify: (legs: number) => String(legs), run: (id) => (isPaid ? id : problem(402)) },
    feed: { status: 204, run: () => (isPaid ? undefined : problem(402)) },
  },
  version: (pet) => (same<typeof pet, Pet>(true), pet.legs),
});

// What `errors` declares.
defineEndpoint({
  custom: {
    pay: {
      errors: { 402: declined, 409: null },
      run: async () => (isPaid ? problem(402, 'no', { code: 'expired', tries: 3 }) : Math.random() > 2 ? problem(409, 'no', { at: 3 }) : { paid: true }),
    },
    open: { errors: { 402: (given: unknown) => given }, run: () => problem(402, 'no', { code: 1 }) },
    shape: { errors: { 402: petSchema }, run: () => problem(402, 'no', { name: 'Rex', legs: 4 }) },
    wide: { errors: { 402: declined }, run: (): ReturnedProblem<{}> => problem(402) },
    any: { errors: { 402: declined }, run: (): any => problem(404) },
    thrown: { errors: { 402: declined }, run: (): never => { throw ApiError.status(404); } },
  },
});
// @ts-expect-error a status that `errors` lacks
defineEndpoint({ custom: { pay: { errors: { 402: declined }, run: () => (isPaid ? { paid: true } : problem(409)) } } });
// @ts-expect-error other extensions than `errors` declares
defineEndpoint({ custom: { pay: { errors: { 402: declined }, run: async () => problem(402, 'no', { code: 'lost' }) } } });
// @ts-expect-error no extensions, where `errors` declares some
defineEndpoint({ id: integerId, get: { errors: { 402: declined }, run: (id) => pets.get(id) ?? problem(402) } });
