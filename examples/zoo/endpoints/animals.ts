/** Any animal: there is one of every name. */
import { defineEndpoint, stringId } from 'restpoint';
import { anyText, boolean, integer, object } from '../schema.ts';

const Animal = object('Animal', { name: anyText, legs: integer(0, 1000), lethal: boolean });

export type Animals = typeof animals;
export const animals = defineEndpoint({
  id: stringId,
  get: { output: Animal, run: (name) => ({ name, legs: 4, lethal: false }) },
});
