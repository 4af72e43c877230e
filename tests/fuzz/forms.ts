/** Forms: the subject's operations that take them, requests with them, and the rules, implemented independently of the server. */
import { Buffer, isUtf8 } from 'node:buffer';
import { form } from '../../src/formats/index.ts';
import { defineEndpoint, type ApiServer } from '../../src/index.ts';
import { waitTwoTurns } from '../support/wait.ts';
import type { Random } from '../support/random.ts';
import { actor, isLost, isPrompt, mapError } from './operation-parts.ts';
import type { CallLog } from './call-log.ts';
import { SMUGGLED } from './corpus.ts';
import type { Draft } from './draft.ts';
import { isOneOf, mediaTypeIn } from './heads.ts';

const MAX_PARTS = 6;
const MAX_FILES = 2;
const MAX_FILE_BYTES = 20;
const PHOTO_TYPES = ['image/*'];
const MULTIPART = 'multipart/form-data';

/** The types of the two operations. Only the first takes forms that are not multipart. */
export const FORM_TYPES = { take: [MULTIPART, 'application/x-www-form-urlencoded'], upload: [MULTIPART] } as const;
export type FormOperation = keyof typeof FORM_TYPES;

type Field = string | { readonly name: string; readonly type: string; readonly size: number };
type Fields = Readonly<Record<string, Field | readonly Field[]>>;

/** Registers the operations with a server. */
export function registerForms(server: ApiServer, log: CallLog): void {
  const act = actor(log, 'form');
  const decode = (fields: unknown): Fields | Promise<Fields> => {
    const shown = Object.fromEntries(Object.entries(fields as object).map(([name, value]) => [name, Array.isArray(value) ? value.map(show) : show(value)]));
    const marker = markerOf(shown);
    log.note('decode', marker);
    return isPrompt(marker) ? shown : waitTwoTurns().then(() => shown);
  };
  server.registerEndpoint('/form', defineEndpoint({
    custom: {
      take: {
        input: form(decode, { lists: ['tag'], maxParts: MAX_PARTS }),
        run: (fields) => act(`take ${markerOf(fields)}`, markerOf(fields), () => fields),
      },
      upload: {
        input: form(decode, { files: { photo: { types: PHOTO_TYPES, maxBytes: MAX_FILE_BYTES } }, maxParts: MAX_PARTS, maxFiles: MAX_FILES }),
        run: (fields) => act(`upload ${markerOf(fields)}`, markerOf(fields), () => fields),
      },
    },
    isNotFound: isLost(log),
    mapError: mapError(log),
  }));
}

function show(value: unknown): Field {
  return value instanceof File ? { name: value.name, type: value.type, size: value.size } : String(value);
}

/** The field that says how the operation ends. */
export function markerOf({ marker }: Fields): string {
  return typeof marker === 'string' ? marker : 'none';
}

/** What becomes of a form: its fields, or one of the statuses. With both, it depends on the platform, which may also read the fields differently. */
export interface FormResult {
  readonly fields?: Fields;
  readonly statuses: readonly number[];
}

/** A part, or a pair of an urlencoded form. */
interface Entry {
  readonly name: string;
  readonly content: string;
  readonly file?: { readonly name: string; readonly type: string };
  readonly isSure: boolean;
}

/** The form in a body, one character for each byte. */
export function formIn(body: string, contentType: string, operation: FormOperation): FormResult {
  const entries = mediaTypeIn(contentType) === MULTIPART ? partsIn(body, contentType, operation) : pairsIn(body, contentType);
  if (typeof entries === 'number') return { statuses: [entries] };
  const unsure = entries.every(({ isSure }) => isSure) ? [] : [400];
  const fields = new Map<string, Field | readonly Field[]>();
  for (const { name: sent, content, file } of entries) {
    const name = operation === 'take' && sent === 'tag[]' ? 'tag' : sent;
    const status = rejectField(name, content, file, operation);
    if (status !== undefined) return { statuses: [...unsure, status] };
    const value = file === undefined ? utf8(content) : { ...file, size: content.length };
    const before = fields.get(name);
    const isList = before !== undefined || (operation === 'take' && name === 'tag');
    fields.set(name, isList ? [before ?? [], value].flat() : value);
  }
  return { fields: Object.fromEntries(fields), statuses: unsure };
}

function rejectField(name: string, content: string, file: Entry['file'], operation: FormOperation): 400 | 413 | undefined {
  if (name === '__proto__') return 400;
  if ((operation === 'upload' && name === 'photo') !== (file !== undefined)) return 400;
  if (file === undefined) return undefined;
  if (content.length > MAX_FILE_BYTES) return 413;
  return isOneOf(PHOTO_TYPES, file.type) ? undefined : 400;
}

function pairsIn(body: string, contentType: string): Entry[] | 400 | 413 {
  const charsets = parametersIn(contentType, 'charset').map((charset) => charset.toLowerCase());
  if (!isUtf8(Buffer.from(body, 'latin1')) || charsets.some((charset) => charset !== 'utf-8' && charset !== 'utf8')) return 400;
  if (body.split('&').length > MAX_PARTS) return 413;
  try {
    decodeURIComponent(utf8(body));
  } catch {
    return 400;
  }
  return [...new URLSearchParams(`&${utf8(body)}`)].map(([name, value]) => ({ name, content: Buffer.from(value).toString('latin1'), isSure: true }));
}

function partsIn(body: string, contentType: string, operation: FormOperation): Entry[] | 400 | 413 {
  const [boundary = '', ...others] = parametersIn(contentType, 'boundary');
  if (others.length > 0 || !/^[\w'()+,./:=? -]{1,70}$/.test(boundary) || boundary.endsWith(' ')) return 400;
  const [before, ...pieces] = (body.startsWith('\r\n') ? body : `\r\n${body}`).split(`\r\n--${boundary}`);
  if (before !== '') return 400;
  const end = pieces.pop() ?? '';
  const entries: Entry[] = [];
  let files = 0;
  for (const piece of pieces) {
    const [head, content] = /^\r\n(.*?)\r\n\r\n(.*)$/s.exec(piece)?.slice(1) ?? [];
    if (head === undefined || content === undefined || piece.startsWith('\r\n\r\n')) return 400;
    if (entries.length === MAX_PARTS) return 413;
    const entry = partOf(head, content);
    if (entry === undefined) return 400;
    files += entry.file === undefined ? 0 : 1;
    if (operation === 'upload' && files > MAX_FILES) return 413;
    entries.push(entry);
  }
  if (end !== '--' && end !== '--\r\n') return 400;
  const chosen = entries.filter(({ content, file }) => file === undefined || file.name !== '' || content !== '');
  const isText = chosen.every(({ content, file }) => file !== undefined || (isUtf8(Buffer.from(content, 'latin1')) && !content.startsWith('\xef\xbb\xbf')));
  return isText ? chosen : 400;
}

const DISPOSITION = /^content-disposition:[ \t]*form-data((?:[ \t]*;[ \t]*[^\s=;"]+=(?:"(?:[^"\\]|\\.)*"|[^\s";]+))+)[ \t]*$/i;
// What all platforms read alike.
const PLAIN = /^Content-Disposition: form-data; name="([^"\\%\x80-\xff]+)"(?:; filename="([^"\\%\x80-\xff]*)")?$/;
const OTHER = /^(?:Content-Type: ([!-~]+\/[!-~]+)|X-[A-Za-z]+: [!-~]*)$/;

/** `undefined` for a part that is not a field. */
function partOf(head: string, content: string): Entry | undefined {
  const lines = head.split('\r\n');
  const [disposition = '', ...others] = lines.filter((line) => /^content-disposition/i.test(line));
  const [, parameters] = DISPOSITION.exec(disposition) ?? [];
  const isRight = lines.length <= 16 && others.length === 0 && isUtf8(Buffer.from(head, 'latin1')) && !/[^\t\x20-\x7e\x80-\xff]/.test(lines.join(''));
  if (!isRight || parameters === undefined) return undefined;
  const given = [...parameters.matchAll(/;[ \t]*([^\s=;"]+)=("(?:[^"\\]|\\.)*"|[^\s";]+)/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value] as const);
  const values = new Map(given);
  if (values.size !== given.length || given.length > 8 || !/[^"]/.test(values.get('name') ?? '')) return undefined;
  const filename = values.get('filename*') ?? values.get('filename');
  const [plain, name, file] = PLAIN.exec(disposition) ?? [];
  const rest = lines.filter((line) => line !== disposition);
  const types = rest.flatMap((line) => OTHER.exec(line)?.[1] ?? []);
  const isSure = plain !== undefined && rest.every((line) => OTHER.test(line)) && types.length < 2;
  const type = (types[0] ?? 'text/plain').toLowerCase();
  return {
    name: utf8(name ?? (values.get('name') ?? '').replace(/^"(.*)"$/, '$1')), content, isSure,
    ...(filename === undefined ? {} : { file: { name: utf8(file ?? filename.replace(/^"(.*)"$/, '$1')), type } }),
  };
}

/** The values of a parameter. */
function parametersIn(contentType: string, wanted: string): string[] {
  const all = [...contentType.matchAll(/;[ \t]*([!#$%&'*+.^`|~\w-]+)=("(?:[^"\\]|\\.)*"|[!#$%&'*+.^`|~\w-]+)/g)];
  return all.filter(([, name = '']) => name.toLowerCase() === wanted).map(([, , value = '']) => (value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value));
}

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

const BOUNDARIES: [string, ...string[]] = ['x', '--', "b'()+_,-./:=?", '-'.repeat(70), 'a b', 'GET'];
const NAMES: [string, ...string[]] = ['a', 'tag', 'tag', 'tag[]', 'a[]', '__proto__[]', 'photo', 'constructor', '__proto__', 'toString', 'a b', '0', 'marker'];
const CONTENTS: [string, ...string[]] = [
  '', '1', SMUGGLED, '\xc3\xa9', '\xff', '\xef\xbb\xbfx', '\r\n', '\r\n\r\n', '\r\n--', '--x--\r\n', '\r\n--x', '\0', 'x'.repeat(20), 'x'.repeat(21), '&a=%zz', '+', 'x'.repeat(1500),
];
const PAIRS: [string, ...string[]] = ['a=1', 'tag[]=1', 'tag%5b%5D=2', 'b[]=1', 'tag=a+b', 'tag=%C3%A9', 'a', '=', '', 'b=%zz', '%ff=1', '__proto__=1', 'constructor=1', '?a=1', 'c=\xc3\xa9', 'd=\xff', '10=a', 'e=f=g', '%26=%3D'];
const HEADS: [string, ...string[]] = [
  '\r\nX-A: b', '\r\nContent-Type: text/plain', '\r\nContent-Type: text/plain; charset=latin1', '\r\nContent-Transfer-Encoding: base64', '; name="b"', '; b=c', '\r\n folded', '\r\nno colon',
  '\r\nX-A: b'.repeat(16), '\r\nX-A: b'.repeat(15), '\r\nX\0A: b', '\r\nContent-Disposition: form-data; name="b"', '\n', '\r\nX-A: \xff', ' ', '; filename*=UTF-8\'\'a',
];

/** A request with a form. */
export function formRequest(random: Random, marker: string, plain: Omit<Draft, 'method' | 'target'>): Draft {
  const operation = random.pick<FormOperation>(['take', 'take', 'upload']);
  const draft = { ...plain, method: 'POST', target: `/v1/form/${operation}` };
  if (operation === 'take' && random.below(3) === 0) {
    const pairs = [`marker=${marker}`, ...random.list(0, random.pick([2, 5, 6]), () => random.pick(PAIRS))];
    const type = random.pick(['', '', '', ';charset=UTF-8', '; charset=latin1', '; charset="utf-8"']);
    return { ...draft, headers: [`Content-Type: application/x-www-form-urlencoded${type}`], body: pairs.join('&') };
  }
  const boundary = random.pick(BOUNDARIES);
  const parts = [part('marker', marker), ...random.list(0, random.pick([2, 2, 5, 6]), () => partFor(random, operation))];
  const start = random.pick(['', '', '', '\r\n', 'x', '\n']);
  const end = random.pick(['--\r\n', '--\r\n', '--\r\n', '--', '', '-', '--x', '--\r\n\r\n', '\r\n', ' --\r\n']);
  const body = `${start}${parts.map((each) => `--${boundary}${random.below(40) === 0 ? ' ' : ''}\r\n${each}\r\n`).join('')}--${boundary}${end}`;
  const named = random.pick([`; boundary="${boundary}"`, `; boundary="${boundary}"`, `;Boundary="${boundary}"; a=b`, `; charset=utf-8; boundary="${boundary}"`, '', `; boundary="${boundary}"; boundary=y`, '; boundary=""']);
  return { ...draft, headers: [`Content-Type: multipart/form-data${random.below(3) === 0 ? named : `; boundary="${boundary}"`}`], body };
}

function partFor(random: Random, operation: FormOperation): string {
  const content = random.pick(CONTENTS);
  const rest = random.below(6) === 0 ? random.pick(HEADS) : '';
  if (operation === 'take' ? random.below(10) > 0 : random.below(3) === 0) return part(random.pick(NAMES), content, rest);
  const type = random.pick(['\r\nContent-Type: image/png', '\r\nContent-Type: image/png', '\r\nContent-Type: IMAGE/gif', '\r\nContent-Type: text/plain', '']);
  const filename = random.pick(['a.png', '../../a', '', 'a b', 'a;b=c', '\xc3\xa9']);
  return part(random.pick(['photo', 'photo', 'photo', 'a']), content, `; filename="${filename}"${type}${rest.startsWith('\r\n') ? rest : ''}`);
}

function part(name: string, content: string, rest = ''): string {
  return `Content-Disposition: form-data; name="${name}"${rest}\r\n\r\n${content}`;
}
