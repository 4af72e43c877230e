/**
 * Forms as HTML pages send them: `multipart/form-data` and `application/x-www-form-urlencoded`.
 *
 *   { input: form(Pet, { files: { photo: { types: ['image/png'] } } }), run: ({ name, photo }) => store.insert(name, photo) }
 *
 *   name=Rex&tag=a&tag=b   ->   { name: 'Rex', tag: ['a', 'b'] }
 */
import type { Decoded } from '../endpoint/decoder.ts';
import { acceptsType, checkTypes, createFormat, type FileField, type Format } from '../endpoint/format.ts';
import { ApiError } from '../errors/api-error.ts';
import { createDecodeRejection, LocatedIssue, toPointer, type ValidationStatus } from '../errors/problem.ts';
import { findHeader } from '../http/head.ts';
import { listParameters, parseMediaType } from '../http/media-type.ts';
import { addValue, decodeString } from '../http/query.ts';
import { type Checked, checkObject, integer, MAX_BYTES, option, type Shape, shape, strings } from '../util/options.ts';
import { findListFields } from './form-lists.ts';
import { createDecoder, type DecoderInput, type ItemDecoder, readAll } from './items.ts';
import { type FormEntry, type FormLimits, parseMultipart, rejectForm, rejectSize } from './multipart.ts';

/**
 * What a file of a form can be.
 *
 * @example
 * ```ts
 * const photo: FileOptions = { types: ['image/png'], maxBytes: 1_000_000 };
 * form(z.object({ photo: z.file() }), { files: { photo } });
 * ```
 */
export interface FileOptions {
  /** The media types that the client may state for it, such as `image/png` or `image/*`. @default any */
  readonly types?: readonly string[];
  /** Max length, in bytes; longer ones get 413. @default `fileBytes` of the form */
  readonly maxBytes?: number;
}

/**
 * The options of `form`.
 *
 * @example
 * ```ts
 * const options = { files: { photo: { types: ['image/png'] } }, maxParts: 10 } satisfies FormOptions;
 * form(z.object({ photo: z.file() }), options);
 * ```
 */
export interface FormOptions<Files = Readonly<Record<string, FileOptions>>> {
  /** The fields that are files. All others are strings. @default none */
  readonly files?: Files;
  /** The fields that are lists, however often they come. A field whose JSON Schema has the type `array` is a list anyway. @default none */
  readonly lists?: readonly string[];
  /** Max number of fields; more get 413. @default 1,000 */
  readonly maxParts?: number;
  /** Max number of files; more get 413. @default 100 */
  readonly maxFiles?: number;
  /** Max length of each file, in bytes; longer ones get 413. `limits.bodyBytes` of the operation holds as well. @default no limit */
  readonly fileBytes?: number;
}

/** A format that `form` made. */
export interface Form<D> extends Format<DecoderInput<D>, Decoded<D>, 'form'> {
  /** The fields that are files. Documents and checks read them. */
  readonly ' files': ReadonlyMap<string, FileField>;
}

/** The option `files`: fields that can only be files are required, and fields that can also be strings are optional. */
export type FormFiles<Input> = unknown extends Input ? Readonly<Record<string, FileOptions>>
  : [FileNames<Input>] extends [never] ? undefined
  : { readonly [Name in OnlyFileNames<Input>]: FileOptions } & { readonly [Name in FileNames<Input>]?: FileOptions };

type OnlyFileNames<Input> = Exclude<FileNames<Input>, StringNames<Input>>;
type FileNames<Input> = { [Name in keyof Input]-?: true extends IsFile<Input[Name]> ? Name & string : never }[keyof Input];
type StringNames<Input> = { [Name in keyof Input]-?: true extends IsString<Input[Name]> ? Name & string : never }[keyof Input];
// An input of type `unknown`, as `z.coerce` has it, can be a file or a string.
type IsFile<Value> = unknown extends Value ? true
  : Value extends readonly (infer Each)[] ? IsFile<Each> : Value extends object ? File extends Value ? true : never : never;
type IsString<Value> = unknown extends Value ? true
  : Value extends readonly (infer Each)[] ? IsString<Each> : Value extends string ? true : never;

type FormArguments<Input> = [unknown extends Input ? never : OnlyFileNames<Input>] extends [never]
  ? [options?: FormOptions<FormFiles<Input>>]
  : [options: FormOptions<FormFiles<Input>> & { readonly files: unknown }];

/** A schema with an input that a form can have. */
export type FormSchema<Input> = unknown extends Input ? unknown
  : [WrongNames<Input>] extends [never] ? unknown
  : `the fields of a form are strings and files: ${WrongNames<Input>} accepts neither. Convert the string, as z.coerce does`;
type WrongNames<Input> = Exclude<keyof Input & string, FileNames<Input> | StringNames<Input>>;

export const FILE_OPTIONS: Shape<Checked<FileOptions>> = shape({
  types: option<FileOptions['types']>('media types', checkTypes, undefined),
  maxBytes: integer(0, MAX_BYTES),
});

type CheckedFile = Checked<FileOptions>;

interface CheckedOptions extends FormLimits {
  readonly files: ReadonlyMap<string, CheckedFile>;
  readonly lists: readonly string[];
  readonly fileBytes: number;
}

export const FORM_OPTIONS: Shape<CheckedOptions> = shape({
  files: option('files by name', checkFiles, new Map()),
  lists: strings([]),
  maxParts: integer(1, 100_000, 1000),
  maxFiles: integer(1, 100_000, 100),
  fileBytes: integer(0, Infinity, Infinity),
});

function checkFiles(value: unknown, path: string): ReadonlyMap<string, CheckedFile> {
  const entries = Object.entries(checkObject(value, path));
  return new Map(entries.map(([name, options]) => [name, FILE_OPTIONS.check(options, `${path}.${name}`)]));
}

const MULTIPART = 'multipart/form-data';
const URL_ENCODED = 'application/x-www-form-urlencoded';

/**
 * Reads a form into an object of strings, lists and `File`s, which `schema` decodes. A field that comes several times is a list, as is one
 * in `lists`, and one whose JSON Schema has the type `array`. A file input without a file is left out.
 *
 * A form is read into memory: `limits.bodyBytes` of the operation limits it. With `files`, it must be `multipart/form-data`. A malformed
 * form gets 400, as does a file in a field that is not in `files`, and a string in one that is. `file.name` and `file.type` are what the
 * client says.
 *
 * @example
 * ```ts
 * const PetForm = z.object({ name: z.string(), legs: z.coerce.number(), photo: z.file() });
 * defineEndpoint({
 *   id: integerId,
 *   get: (id) => db.find(id),
 *   create: {
 *     input: form(PetForm, { files: { photo: { types: ['image/png'], maxBytes: 100_000 } } }),
 *     run: ({ photo, ...pet }) => db.insert(pet, photo),
 *   },
 * });
 * ```
 * @throws `TypeError` if `schema` is not a decoder, and for an invalid option.
 */
export function form<D extends ItemDecoder>(schema: D & FormSchema<DecoderInput<D>>, ...options: FormArguments<DecoderInput<D>>): Form<D>;
export function form(schema: ItemDecoder, options: FormOptions = {}): Form<ItemDecoder> {
  const { files, lists, ...limits } = FORM_OPTIONS.check(options, 'options');
  const decode = createDecoder(schema);
  const known = findListFields(schema);
  // If no field has its name, an optional array is missing, and any other array is empty.
  const always = [...lists, ...[...known].filter(([, isRequired]) => isRequired).map(([name]) => name)];
  const isList = (name: string): boolean => lists.includes(name) || known.has(name);
  const format = createFormat('form', {
    types: files.size === 0 ? [MULTIPART, URL_ENCODED] : [MULTIPART],
    decode: async (body, { raw }, { validationStatus: status }) => {
      const type = findHeader(raw.rawHeaders, 'content-type') ?? '';
      const bytes = await readAll(body);
      const isMultipart = parseMediaType(type) === MULTIPART;
      const entries = isMultipart ? await parseMultipart(bytes, type, limits) : parsePairs(bytes, type, limits.maxParts);
      const fields: Record<string, unknown> = Object.fromEntries(always.map((name) => [name, []]));
      for (const [name, value] of entries) {
        if (name === '__proto__') throw rejectForm('the form has a field named "__proto__"', name);
        checkField(name, value, { file: files.get(name), fileBytes: limits.fileBytes, status });
        // Every object inherits properties such as `constructor`.
        if (isList(name) && !Object.hasOwn(fields, name)) fields[name] = [];
        addValue(fields, name, value);
      }
      return decode(fields, { status });
    },
    jsonSchema: (schemaOf) => schemaOf(schema),
  });
  const fileFields = new Map([...files].map(([name, file]) => [name, { ...file, isList: isList(name) }] as const));
  return Object.freeze({ ...format, ' files': fileFields }) as Form<ItemDecoder>;
}

interface FieldRules {
  /** `undefined` for a field that is not a file. */
  readonly file: CheckedFile | undefined;
  readonly fileBytes: number;
  readonly status: ValidationStatus;
}

/** Throws for a file where a string is declared, for a string where a file is, and for a file that is too long or of a wrong type. */
function checkField(name: string, value: string | File, { file, fileBytes, status }: FieldRules): void {
  if (file === undefined) {
    if (typeof value !== 'string') throw rejectForm('this field must not be a file', name);
    return;
  }
  if (typeof value === 'string') throw rejectForm('this field must be a file', name);
  const { types, maxBytes = fileBytes } = file;
  if (value.size > maxBytes) throw rejectSize(`The file ${name} must not be longer than ${maxBytes} bytes.`);
  if (types === undefined || acceptsType({ types }, value.type)) return;
  const message = `the file must be ${types.join(' or ')}`;
  throw ApiError.wrap(createDecodeRejection(message, [new LocatedIssue(message, toPointer([name]), [name])], status));
}

/** Parses `application/x-www-form-urlencoded`. Throws an `ApiError` as `parseMultipart` does. */
function parsePairs(bytes: Buffer, contentType: string, maxParts: number): FormEntry[] {
  const spaced = spacePluses(bytes);
  const text = spaced.toString('utf8');
  const isUtf8 = !text.includes('\ufffd') || Buffer.from(text).equals(spaced);
  const charsets = listParameters(contentType, 'charset');
  if (!isUtf8 || !charsets.every((charset) => /^utf-?8$/i.test(charset))) throw rejectForm('the form must be UTF-8');
  const pairs = text.split('&', maxParts + 1);
  if (pairs.length > maxParts) throw rejectSize(`A form must not have more than ${maxParts} parts.`);
  return pairs.filter((pair) => pair !== '').map((pair): FormEntry => {
    const equals = pair.indexOf('=');
    const name = decodeString(equals === -1 ? pair : pair.slice(0, equals));
    const value = decodeString(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) throw rejectForm('the form is not percent-encoded UTF-8');
    return [name, value];
  });
}

/**
 * Replaces each `+` by the space that it stands for, in a copy: interceptors may have the bytes. In a string, a megabyte of them takes
 * 50 times as long (measured side by side), and holds up all other requests.
 */
function spacePluses(bytes: Buffer): Buffer {
  const spaced = Buffer.from(bytes);
  for (let at = 0; at < spaced.length; at += 1) if (spaced[at] === 0x2b) spaced[at] = 0x20;
  return spaced;
}
