/** A function, an option or an endpoint of the type `any`, `unknown` or `never` does not hide the mistakes of others. Compiling this file is the test. */
import { defineEndpoint, integerId } from '../../src/index.ts';
import { petSchema } from './schemas.ts';

declare const any: any;
declare const unknown: unknown;
const untyped = (json: unknown): any => json;

// ---- Results.
// @ts-expect-error a bigint beside `any`
defineEndpoint({ get: () => ({ a: any, b: 1n }) });
// @ts-expect-error a Map beside `unknown`, deeper
defineEndpoint({ id: integerId, list: async () => [{ a: { a: unknown, b: new Map() }, b: any }] });
// @ts-expect-error an error in a tuple with `any`
defineEndpoint({ custom: { a: { status: 202, run: () => [any, new Error('a')] as const } } });
// @ts-expect-error a Map, where the other result is a promise of `any`
defineEndpoint({ custom: { a: () => (any ? Promise.resolve(any) : new Map()) } });
// @ts-expect-error a Map beside `any`
defineEndpoint({ custom: { a: () => new Map(), b: () => any } });
// @ts-expect-error nothing beside a promise of `unknown`
defineEndpoint({ itemCustom: { a: async () => undefined }, id: integerId, custom: { b: async () => unknown } });
// @ts-expect-error a bigint beside what a decoder without types returns
defineEndpoint({ id: integerId, list: () => [1n], search: { input: untyped, run: (json) => json } });
// @ts-expect-error a result that is not sent beside `any`
defineEndpoint({ id: integerId, schema: petSchema, delete: () => 'x', update: { input: untyped, run: (): any => 1 } });
// @ts-expect-error an error beside an operation of which nothing is known
defineEndpoint({ custom: { a: () => new Error('a'), b: any } });
// @ts-expect-error a header that is missing, beside `any`
defineEndpoint({ custom: { a: { responseHeaders: { 'X-A': (a: unknown) => Number(a) }, run: () => 1 }, b: () => any } });
// Right beside all of these.
defineEndpoint({
  id: integerId, schema: petSchema, create: (pet) => pet.legs, get: () => any, list: async () => unknown, update: (): any => 1, delete: () => unknown,
  custom: { a: () => any, b: any, c: { input: untyped, run: (json) => json.name }, d: () => 1 },
});
