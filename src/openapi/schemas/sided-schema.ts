/** A decoder that the document shows, and its two sides. */
import type { Side } from './conversion.ts';
import type { JsonSchema } from './json-schema.ts';
import type { LocalSchema } from './local-schema.ts';

/** Where a decoder is used. */
export interface Owner {
  /** For messages: `the body of petCreate`. */
  readonly place: string;
  /** For a component that the user gave no name: the first of these that is free. */
  readonly names: readonly string[];
}

/** A decoder, and where it is used. */
export interface DecoderUse {
  readonly owners: Owner[];
  readonly sides: Map<Side, SidedSchema>;
}

/** One side of a decoder. */
export interface SidedSchema {
  readonly local: LocalSchema;
  readonly side: Side;
  readonly decoder: DecoderUse;
  /** Those of its schemas that are written without their `additionalProperties: false`. */
  readonly lax: ReadonlySet<JsonSchema>;
}
