/**
 * Forms as HTML pages send them: `multipart/form-data` and `application/x-www-form-urlencoded`.
 *
 *   { input: form(Pet, { files: { photo: { types: ['image/png'] } } }), run: ({ name, photo }) => store.insert(name, photo) }
 *
 *   name=Rex&tag=a&tag=b   ->   { name: 'Rex', tag: ['a', 'b'] }
 */
import type { Decoded, DecoderInput } from '../declaration/decoder.ts';
import { checkTypes, makeFormat } from '../declaration/define-format.ts';
import { acceptsType, type Format } from '../declaration/format.ts';
import { findRequestHead } from '../endpoint/context.ts';
import { chooseLists } from '../endpoint/string-fields.ts';
import type { IsString } from '../declaration/sendable-names.ts';
import { ApiError } from '../errors/api-error.ts';
import {
  makeDecodeRejection, makeDecodeRejectionAt, LocatedIssue, toPointer, type ValidationStatus, WHOLE_BODY,
} from '../errors/problem.ts';
import { findHeader } from '../http/head.ts';
import { listParameters, parseMediaType } from '../http/media-type.ts';
import { addEmptyLists, addValue, decodeString, findListName } from '../http/query.ts';
import { type Checked, checkObject, integer, MAX_BYTES, option, shape, type Shape, strings } from '../util/options.ts';
import { createDecoder, type ItemDecoder, readAll } from './items.ts';

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
 * const options = { files: { photo: { types: ['image/png'] } }, fileBytes: 100_000 } satisfies FormOptions;
 * form(z.object({ photo: z.file() }), options);
 * ```
 */
export interface FormOptions<Files = Readonly<Record<string, FileOptions>>> {
  /** The fields that are files. All others are strings. @default none */
  readonly files?: Files;
  /**
   * The fields that are lists, even of one value, for a `schema` without a JSON Schema. With one, a field is a list if its JSON Schema has
   * the type `array`.
   *
   * @default none
   */
  readonly lists?: readonly string[];
  /** Max length of each file, in bytes; longer ones get 413. `limits.bodyBytes` of the operation holds as well. @default no limit */
  readonly fileBytes?: number;
}

/** A format that `form` made. */
export interface Form<D> extends Format<DecoderInput<D>, Decoded<D>, 'form'> {}

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

type FormArguments<Input> = [unknown extends Input ? never : OnlyFileNames<Input>] extends [never]
  ? [options?: FormOptions<FormFiles<Input>>]
  : [options: FormOptions<FormFiles<Input>> & { readonly files: unknown }];

/** A schema with an input that a form can have. */
export type FormSchema<Input> = unknown extends Input ? unknown
  : [WrongNames<Input>] extends [never] ? unknown
  : `the fields of a form are strings and files: ${WrongNames<Input>} accepts neither. Convert the string, as z.coerce does`;
type WrongNames<Input> = Exclude<keyof Input & string, FileNames<Input> | StringNames<Input>>;

/** `files: a file`: {@link FileOptions}. */
export const FILE_OPTIONS: Shape<Checked<FileOptions>> = shape({
  types: option<FileOptions['types']>('media types', checkTypes, undefined),
  maxBytes: integer(0, MAX_BYTES),
});

type CheckedFile = Checked<FileOptions>;

interface CheckedFormOptions {
  readonly files: ReadonlyMap<string, CheckedFile>;
  readonly lists: readonly string[];
  readonly fileBytes: number;
}

/** `form(schema, options)`: {@link FormOptions}. */
export const FORM_OPTIONS: Shape<CheckedFormOptions> = shape({
  files: option('files by name', checkFiles, new Map()),
  lists: strings([]),
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
 * whose JSON Schema has the type `array`, and one in `lists`. A list that is not sent is empty if the JSON Schema requires it, and else
 * missing. A file input without a file is left out.
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
  const { files, lists, fileBytes } = FORM_OPTIONS.check(options, 'options');
  const decode = createDecoder(schema);
  const allLists = chooseLists([schema], lists, { schema: 'schema', lists: 'options.lists', files });
  const fileFields = new Map([...files].map(([name, file]) => [name, { ...file, isList: allLists.has(name) }] as const));
  return makeFormat({ kind: 'form', files: fileFields }, {
    types: files.size === 0 ? [MULTIPART, URL_ENCODED] : [MULTIPART],
    decode: async (body, request, { validationStatus: status }) => {
      const type = findHeader(findRequestHead(request).rawHeaders, 'content-type') ?? '';
      const bytes = await readAll(body);
      const isMultipart = parseMediaType(type) === MULTIPART;
      const entries = isMultipart ? await parseMultipart(bytes, type) : parsePairs(bytes, type);
      const fields: Record<string, unknown> = {};
      addEmptyLists(fields, allLists);
      for (const [sent, value] of entries) {
        const name = findListName(sent, allLists);
        if (name === '__proto__') throw rejectForm('the form has a field named "__proto__"', name);
        checkField(name, value, { file: files.get(name), fileBytes, status });
        addValue(fields, name, value, allLists);
      }
      return decode(fields, { status });
    },
    jsonSchema: (schemaOf) => schemaOf(schema),
  });
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
  throw ApiError.wrap(makeDecodeRejection(message, [new LocatedIssue(message, toPointer([name]), [name])], status));
}

const MAX_PARTS = 1000;
const MAX_FILES = 100;
const TOO_MANY_PARTS = `A form must not have more than ${MAX_PARTS} parts.`;

/** Parses `application/x-www-form-urlencoded`. Throws an `ApiError` as `parseMultipart` does. */
function parsePairs(bytes: Buffer, contentType: string): FormEntry[] {
  const spaced = spacePluses(bytes);
  const text = spaced.toString('utf8');
  const isUtf8 = !text.includes('\ufffd') || Buffer.from(text).equals(spaced);
  const charsets = listParameters(contentType, 'charset');
  if (!isUtf8 || !charsets.every((charset) => /^utf-?8$/i.test(charset))) throw rejectForm('the form must be UTF-8');
  const pairs = text.split('&', MAX_PARTS + 1);
  if (pairs.length > MAX_PARTS) throw rejectSize(TOO_MANY_PARTS);
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

/** A field of a form. */
export type FormEntry = readonly [name: string, value: string | File];

/** A part, as found in the bytes. */
interface Part extends PartHead {
  readonly head: Buffer;
  readonly content: Buffer;
}

interface PartHead {
  readonly isFile: boolean;
  /** Whether the name of the file is not empty. */
  readonly hasFilename: boolean;
}

// RFC 2046 section 5.1.1.
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const NOT_A_FIELD = 'the form has a part that is not a field';
const CRLF = '\r\n';
const HEAD_END = '\r\n\r\n';
const LINE_END = Buffer.from(CRLF);
const EMPTY_LINE = Buffer.from(HEAD_END);
const CLOSE = '--';
// Far more than any file name needs.
const MAX_HEAD = 16_384;
// Browsers send two. The platform needs 0.2 seconds for a megabyte of short lines (measured), and holds up all other requests.
const MAX_LINES = 16;
const MAX_PARAMETERS = 8;
const DISPOSITION = /^content-disposition:[ \t]*form-data((?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:"(?:[^"\\]|\\.)*"|[^\s";]+))+) *$/i;
const PARAMETER = /;[ \t]*([^\s=;"]+)=("(?:[^"\\]|\\.)*"|[^\s";]+)/g;
// Without the tab, which a header may contain.
const CONTROL = /[\0-\x08\n-\x1f\x7f]/;

/** Rejects a form that is malformed, at one of its fields or as a whole. */
export function rejectForm(message: string, name?: string): ApiError {
  if (name === undefined) return ApiError.wrap(makeDecodeRejectionAt(WHOLE_BODY, message, undefined, 'body-form'));
  return ApiError.wrap(makeDecodeRejectionAt(toPointer([name]), message, [name], 'body-form'));
}

/** Rejects a form that exceeds a limit. */
export function rejectSize(message: string): ApiError {
  return ApiError.because('body-length', message);
}

/**
 * Parses a multipart form (RFC 7578). The platform does that: `Response.formData()`. Engines differ in the bytes that they accept, and some
 * drop a part that they do not understand. So the parts are found in the bytes first, and the result of the platform must be the same:
 *
 *   --boundary\r\n head \r\n\r\n content \r\n--boundary--\r\n   ->   [{ isFile, hasFilename, content }]
 *
 * Throws an `ApiError`: 400 if the form is malformed, and 413 before it is parsed if it has too many parts.
 */
export async function parseMultipart(body: Buffer, contentType: string): Promise<FormEntry[]> {
  const [boundary = '', ...others] = listParameters(contentType, 'boundary');
  if (others.length > 0 || !BOUNDARY.test(boundary)) throw rejectForm('the Content-Type of the form must have one valid boundary');
  const parts = findParts(body, boundary);
  const entries = await parseByPlatform(parts);
  if (entries.length !== parts.length) throw rejectForm(NOT_A_FIELD);
  const chosen: FormEntry[] = [];
  for (const [at, part] of parts.entries()) {
    const entry = entries[at] as FormEntry;
    // An `<input type="file">` without a choice (HTML, section 4.10.22.4): for some engines a file, for others a string.
    if (part.isFile && !part.hasFilename && part.content.length === 0) continue;
    checkEntry(entry, part);
    chosen.push(entry);
  }
  return chosen;
}

/** Throws if the platform has read a part differently than its bytes say. */
function checkEntry([name, value]: FormEntry, { isFile, content }: Part): void {
  if (isFile !== (typeof value !== 'string')) throw rejectForm(NOT_A_FIELD);
  if (typeof value !== 'string' && value.size !== content.length) throw rejectForm('a file must not be encoded', name);
  // Some engines drop a byte order mark, others keep it.
  const isSame = typeof value !== 'string' || (!value.startsWith('\ufeff') && Buffer.from(value).equals(content));
  if (!isSame) throw rejectForm('a field must be UTF-8', name);
}

/** Engines reject a form whose parts contain the boundary anywhere. A client can choose a short one, so they get a boundary of our own. */
async function parseByPlatform(parts: readonly Part[]): Promise<FormEntry[]> {
  const boundary = crypto.randomUUID();
  const delimiter = Buffer.from(`--${boundary}`);
  const pieces = parts.flatMap(({ head, content }) => [delimiter, LINE_END, head, EMPTY_LINE, content, LINE_END]);
  const body = Buffer.concat([...pieces, delimiter, Buffer.from(CLOSE + CRLF)]);
  try {
    const response = new Response(body, { headers: { 'Content-Type': `multipart/form-data; boundary="${boundary}"` } });
    return [...await response.formData()] as FormEntry[];
  } catch {
    throw rejectForm(NOT_A_FIELD);
  }
}

/** Finds the parts between the delimiters of a form, without a copy. */
function findParts(body: Buffer, boundary: string): Part[] {
  const delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
  const parts: Part[] = [];
  let files = 0;
  // The first delimiter may have no line end before it.
  const start = startsWith(body, CRLF, 0) ? 0 : -CRLF.length;
  const first = body.subarray(0, start + delimiter.length);
  if (!first.equals(delimiter.subarray(-first.length)) || first.length === 0) throw rejectForm('the form must begin with its boundary');
  let at = start + delimiter.length;
  while (!startsWith(body, CLOSE, at)) {
    const headStart = at + CRLF.length;
    const end = body.indexOf(delimiter, at);
    if (end === -1) throw rejectForm('the form ends too early');
    const headEnd = body.indexOf(HEAD_END, at);
    const hasHead = startsWith(body, CRLF, at) && headEnd !== -1 && headEnd + HEAD_END.length <= end;
    if (!hasHead) throw rejectForm(NOT_A_FIELD);
    if (parts.length === MAX_PARTS) throw rejectSize(TOO_MANY_PARTS);
    const head = body.subarray(headStart, headEnd);
    const known = readPartHead(head);
    files += known.isFile ? 1 : 0;
    if (files > MAX_FILES) throw rejectSize(`A form must not have more than ${MAX_FILES} files.`);
    parts.push({ ...known, head, content: body.subarray(headEnd + HEAD_END.length, end) });
    at = end + delimiter.length;
  }
  const rest = body.toString('latin1', at + CLOSE.length, at + CLOSE.length + CRLF.length + 1);
  if (rest !== '' && rest !== CRLF) throw rejectForm('the form goes on after its last boundary');
  return parts;
}

function startsWith(body: Buffer, text: string, at: number): boolean {
  return body.toString('latin1', at, at + text.length) === text;
}

/** Reads the head of a part. Throws for one that engines could understand differently. */
function readPartHead(bytes: Buffer): PartHead {
  if (bytes.length > MAX_HEAD) throw rejectForm('a part of the form has too long a head');
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd')) throw rejectForm('the head of a part must be UTF-8');
  const lines = text.split(CRLF, MAX_LINES + 1);
  if (lines.length > MAX_LINES) throw rejectForm('a part of the form has too long a head');
  const dispositions = lines.filter((line) => /^content-disposition/i.test(line));
  const [, parameters = ''] = DISPOSITION.exec(dispositions[0] ?? '') ?? [];
  const entries = [...parameters.matchAll(PARAMETER)].map(([, name = '', value = '']) => {
    return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')] as const;
  });
  const isField = dispositions.length === 1 && entries.length > 0 && entries.length <= MAX_PARAMETERS;
  if (!isField || lines.some((line) => CONTROL.test(line))) throw rejectForm(NOT_A_FIELD);
  const values = new Map(entries);
  if (values.size !== entries.length || !values.get('name')) throw rejectForm('the form has a part without a name');
  const filename = values.get('filename*') ?? values.get('filename');
  return { isFile: filename !== undefined, hasFilename: filename !== undefined && filename !== '' };
}
