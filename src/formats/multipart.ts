/**
 * Multipart forms (RFC 7578). The platform parses them: `Response.formData()`. Engines differ in the bytes that they accept, and some
 * drop a part that they do not understand. So the parts are found in the bytes first, and the result of the platform must be the same:
 *
 *   --boundary\r\n head \r\n\r\n content \r\n--boundary--\r\n   ->   [{ isFile, hasFilename, content }]
 */
import { ApiError } from '../errors/api-error.ts';
import { createDecodeRejectionAt, toPointer, WHOLE_BODY } from '../errors/problem.ts';
import { listParameters } from '../http/media-type.ts';

/** A field of a form. */
export type FormEntry = readonly [name: string, value: string | File];

/** The limits of a form. */
export interface FormLimits {
  readonly maxParts: number;
  readonly maxFiles: number;
}

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
const DISPOSITION = /^content-disposition:[ \t]*form-data((?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:"(?:[^"\\]|\\.)*"|[^\s";]+)){1,8}) *$/i;
const PARAMETER = /;[ \t]*([^\s=;"]+)=("(?:[^"\\]|\\.)*"|[^\s";]+)/g;
// Without the tab, which a header may contain.
const CONTROL = /[\0-\x08\n-\x1f\x7f]/;

/** Rejects a form that is malformed, at one of its fields or as a whole. */
export function rejectForm(message: string, name?: string): ApiError {
  if (name === undefined) return ApiError.wrap(createDecodeRejectionAt(WHOLE_BODY, message));
  return ApiError.wrap(createDecodeRejectionAt(toPointer([name]), message, [name]));
}

/** Rejects a form that exceeds a limit. */
export function rejectSize(message: string): ApiError {
  return ApiError.status(413, message);
}

/** Parses a form. Throws an `ApiError`: 400 if it is malformed, and 413 before it is parsed if it has too many parts. */
export async function parseMultipart(body: Buffer, contentType: string, limits: FormLimits): Promise<FormEntry[]> {
  const [boundary = '', ...others] = listParameters(contentType, 'boundary');
  if (others.length > 0 || !BOUNDARY.test(boundary)) throw rejectForm('the Content-Type of the form must have one valid boundary');
  const parts = findParts(body, boundary, limits);
  const entries = await parseByPlatform(parts);
  if (entries.length !== parts.length) throw rejectForm(NOT_A_FIELD);
  const chosen: FormEntry[] = [];
  for (const [at, part] of parts.entries()) {
    const entry = entries[at] as FormEntry;
    if (isUnchosen(part)) continue;
    checkEntry(entry, part);
    chosen.push(entry);
  }
  return chosen;
}

/** Whether a part is an `<input type="file">` without a choice (HTML, section 4.10.22.4): for some engines a file, for others a string. */
function isUnchosen({ isFile, hasFilename, content }: Part): boolean {
  return isFile && !hasFilename && content.length === 0;
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
function findParts(body: Buffer, boundary: string, { maxParts, maxFiles }: FormLimits): Part[] {
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
    if (parts.length === maxParts) throw rejectSize(`A form must not have more than ${maxParts} parts.`);
    const head = body.subarray(headStart, headEnd);
    const known = readPartHead(head);
    files += known.isFile ? 1 : 0;
    if (files > maxFiles) throw rejectSize(`A form must not have more than ${maxFiles} files.`);
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
  const [, parameters] = DISPOSITION.exec(dispositions[0] ?? '') ?? [];
  if (parameters === undefined || dispositions.length > 1 || lines.some((line) => CONTROL.test(line))) throw rejectForm(NOT_A_FIELD);
  const entries = [...parameters.matchAll(PARAMETER)].map(([, name = '', value = '']) => {
    return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')] as const;
  });
  const values = new Map(entries);
  if (values.size !== entries.length || !values.get('name')) throw rejectForm('the form has a part without a name');
  const filename = values.get('filename*') ?? values.get('filename');
  return { isFile: filename !== undefined, hasFilename: filename !== undefined && filename !== '' };
}
