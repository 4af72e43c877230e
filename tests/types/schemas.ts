/** Hand-written schemas in the three forms that a user may use. This file has only types, and nothing is run. */
import type { StandardSchemaV1 } from '../../src/index.ts';

export interface Pet {
  readonly name: string;
  readonly legs: number;
}

export declare const petSchema: StandardSchemaV1<unknown, Pet>;
export declare const optionalPetSchema: StandardSchemaV1<unknown, Pet | undefined>;
/** Like those of ArkType: a call does not return the schema's output. */
export declare const callablePetSchema: ((value: unknown) => Error | boolean) & StandardSchemaV1<unknown, Pet>;
export declare const portionSchema: StandardSchemaV1<{ grams: string }, { grams: number }>;
export declare function decodePet(json: unknown): Pet;
export declare function decodePetLater(json: unknown): Promise<Pet>;

export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only where both types are the same. A result of it can be that of any operation. */
export declare function same<A, B>(proof: Same<A, B>): any;
