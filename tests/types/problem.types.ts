/** O18 E9: The types of `problem`: the inferred types, and the rejected calls. Compiling this file is the test. */
import {
  ApiError, type ApiServer, defineEndpoint, integerId, problem, type MaybePromise, type Reply, type ReturnedProblem, type StandardSchemaV1, type StatusOptions,
} from '../../src/index.ts';
import { client, type ProblemOf } from '../../src/client/index.ts';
import { same, petSchema, type Pet } from './schemas.ts';

declare const pets: Map<number, Pet>;
declare const isPaid: boolean;
declare const server: ApiServer;
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

const unknownCaller = problem(401, 'Who?', undefined, { headers: { 'WWW-Authenticate': 'Basic' } });
same<typeof unknownCaller, ReturnedProblem<{}, 401>>(true);
const expired = problem(401, 'Who?', { code: 'expired' }, { type: '/problems/expired', headers: { 'www-authenticate': ['Basic', 'Bearer'] } });
same<typeof expired, ReturnedProblem<{ code: 'expired' }, 401, '/problems/expired'>>(true);
// @ts-expect-error a 401 has a challenge
problem(401, 'Who?');
// @ts-expect-error a 401 has a challenge
problem(401, 'Who?', {}, { headers: { 'Retry-After': '1' } });
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
    pay: { input: petSchema, run: async () => (isPaid ? { paid: true } : problem(402, 'no', { code: 'declined' })) },
    count: () => (isPaid ? pets.size : problem(402)),
  },
  itemCustom: {
    wake: (id) => (isPaid ? id : problem(402)),
    feed: { output: { 204: null }, run: () => (isPaid ? undefined : problem(402)) },
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
// Several errors of a status, by their code and by their type.
declare const overlap: StandardSchemaV1<{ readonly code: 'overlap'; readonly with: string }>;
declare const taken: StandardSchemaV1<{ readonly code: 'taken' }>;
declare const byType: StandardSchemaV1<{ readonly type: '/full'; readonly seats: number } | { readonly type: '/closed' }>;
const typed = problem(409, 'Full.', { seats: 0 }, { type: '/full', title: 'Full' });
same<typeof typed, ReturnedProblem<{ seats: 0 }, 409, '/full'>>(true);
const api = server.registerEndpoints({
  '/visit': defineEndpoint({
    custom: {
      book: {
        errors: { 409: [overlap, taken], 410: null },
        run: () => (isPaid ? { booked: true } : Math.random() > 2 ? problem(409, 'no', { code: 'taken' }) : problem(409, 'no', { code: 'overlap', with: 'Ann' })),
      },
      enter: { errors: { 409: byType }, run: () => (isPaid ? problem(409, 'Full.', { seats: 0 }, { type: '/full', title: 'Full' }) : problem(409, '', {}, { type: '/closed', title: 'Closed' })) },
      used: { use: { around: (_call: unknown, run: () => Promise<unknown>) => run(), errors: { 409: [overlap, (given: unknown) => given as { readonly at: Date }] } }, run: () => 1 },
    },
  }),
});
type Book = (typeof api)['/visit']['one']['custom']['book'];
same<Book, { 200: { booked: boolean }; 409: { code: 'overlap'; with: string } | { code: 'taken' }; 410: null }>(true);
same<(typeof api)['/visit']['one']['custom']['used'][409], { code: 'overlap'; with: string } | { at: string }>(true);
const visits = client<typeof api>('/v1').one('/visit');
const booked = await visits.custom.book(undefined, { safe: true });
if (!booked.ok && booked.status === 409) {
  if (booked.problem.code === 'overlap') same<typeof booked.problem.with, string>(true);
  // @ts-expect-error only one of them has it
  else booked.problem.with.trim();
}
const entered = await visits.custom.enter(undefined, { safe: true });
if (!entered.ok && entered.status === 409 && entered.problem.type === '/full') same<typeof entered.problem.seats, number>(true);
export const describeFailure = (failure: ProblemOf<typeof api, '/visit', 'custom.book'>): string => {
  if (failure.status === 410) return failure.title;
  same<typeof failure.status, 409>(true);
  return failure.code === 'overlap' ? failure.with : failure.code;
};
// @ts-expect-error none of the codes
defineEndpoint({ custom: { book: { errors: { 409: [overlap, taken] }, run: () => problem(409, 'no', { code: 'lost' }) } } });
// @ts-expect-error the properties of the other one
defineEndpoint({ custom: { book: { errors: { 409: [overlap, taken] }, run: () => problem(409, 'no', { code: 'overlap' }) } } });
// @ts-expect-error a type that is not declared
defineEndpoint({ custom: { enter: { errors: { 409: byType }, run: () => problem(409, 'no', {}, { type: '/lost', title: 'Lost' }) } } });
// @ts-expect-error no type, where one is declared
defineEndpoint({ custom: { enter: { errors: { 409: byType }, run: () => problem(409, 'no', { seats: 1 }) } } });
// @ts-expect-error a list has decoders
defineEndpoint({ custom: { enter: { errors: { 409: [overlap, 'taken'] }, run: () => 1 } } });
// @ts-expect-error a status that `errors` lacks
defineEndpoint({ custom: { pay: { errors: { 402: declined }, run: () => (isPaid ? { paid: true } : problem(409)) } } });
// @ts-expect-error other extensions than `errors` declares
defineEndpoint({ custom: { pay: { errors: { 402: declined }, run: async () => problem(402, 'no', { code: 'lost' }) } } });
// @ts-expect-error no extensions, where `errors` declares some
defineEndpoint({ id: integerId, get: { errors: { 402: declined }, run: (id) => pets.get(id) ?? problem(402) } });
