/** The fields of a query, of headers, of a form and of JSON that a client can send, by the type of their decoder's input. */

/**
 * `true` if a value can be a string or a list of strings, and else `never`. An input of type `unknown`, as `z.coerce` has it, can be one.
 */
export type IsString<Value> = unknown extends Value ? true
  : Value extends readonly (infer Each)[] ? IsString<Each> : Value extends string ? true : never;

/** The fields of an input that can be neither a string nor a list of strings. */
// A union is taken apart. A field that is only missing, or `null`, can be.
export type UnsendableNames<Input> = unknown extends Input ? never : Input extends unknown
  ? {
    [Name in keyof Input]-?: Input[Name] extends string | null | undefined ? never
      : true extends IsString<Input[Name]> ? never : Name & string;
  }[keyof Input] : never;

/** The properties of an input that JSON has no value for: each can only be a `Date` or a bigint, or be missing. */
export type NamesWithoutJson<Input> = unknown extends Input ? never
  : Input extends Date | bigint ? 'this input'
  : Input extends readonly (infer Each)[] ? NamesWithoutJson<Each>
  : Input extends object ? {
    [Name in keyof Input]-?: unknown extends Input[Name] ? never
      : [NonNullable<Input[Name]>] extends [never] ? never : [NonNullable<Input[Name]>] extends [Date | bigint] ? Name & string : never;
  }[keyof Input] : never;
