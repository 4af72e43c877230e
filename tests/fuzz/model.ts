/** A model of the rules: how a request must be answered, and what it may invoke. */
import { isIPv6 } from 'node:net';
import { asksForUpgrade, asksToClose, type ReadRequest } from './reference.ts';
import { decoded, operationAt, type Operation } from './route-table.ts';
import { noteIn } from './notes.ts';
import { BODY_BYTES } from './subject.ts';
import { isUnasked } from './unasked.ts';

export interface Expectation {
  /** Any of these is allowed. There are several only if a request is wrong in several ways. */
  readonly statuses: readonly number[];
  /** The exact body, one character for each byte; `undefined` for a problem. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the operation records, if one is invoked. */
  readonly invocation?: string;
  /** Whether a failure is logged. */
  readonly logs?: boolean;
  /** Whether it never gets a complete answer, so that no later request begins. */
  readonly hangs?: boolean;
  /** Refused for its head. It depends on Node's parser whether this becomes a request at all. */
  readonly isUnread?: boolean;
  /** Whether the decision to invoke the operation needs the body. */
  readonly readsBody: boolean;
  readonly closes: 'yes' | 'no' | 'maybe';
  /** Whether a `100 Continue` is sent before. */
  readonly continues: boolean;
}

const REFUSED = { readsBody: false, continues: false } as const;
const HOST = /^(?:(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+|\[([0-9A-Fa-f:.]+)\])(?::(\d{0,5}))?$/;

/** The expectation for a request, by the rules. */
export function expectationFor(request: ReadRequest): Expectation {
  const expectation = expectationByRule(request);
  // Node keeps an HTTP/1.0 connection open only after an answer with a length, and a 204 has none.
  if (request.version === '1.0' && expectation.closes === 'no' && expectation.statuses.includes(204)) return { ...expectation, closes: 'maybe' };
  // A client that waits for a 100 and gets a final answer may or may not send the body, so later bytes cannot be read.
  const isUnmet = expectsContinue(request) && !expectation.continues;
  return asksToClose(request) || isUnmet || asksForUpgrade(request) ? { ...expectation, closes: 'yes' } : expectation;
}

/** What the host's functions can know about a request: its id, the marker in its body or query, and its target below a mount. */
export function mentionsOf({ target, body }: ReadRequest): (string | undefined)[] {
  const path = pathOf(target);
  const marker = body === undefined ? undefined : noteIn(body);
  const asked = new URLSearchParams(queryOf(target)).get('marker') ?? '';
  return [decoded(path.slice(path.lastIndexOf('/') + 1)), marker, asked, (path.replace(/^\/(?:files|hang)/, '') || '/') + queryOf(target)];
}

function expectationByRule(request: ReadRequest): Expectation {
  const refusals = admissionRefusals(request);
  if (refusals.length > 0) {
    const isUnread = refusals.includes(400);
    return { ...REFUSED, statuses: refusals, isUnread, closes: refusals.every((status) => status !== 417) ? 'yes' : 'maybe' };
  }
  const operation = operationAt(request.method, pathOf(request.target));
  const closes = hasBody(request) ? 'maybe' : 'no';
  if (operation === undefined) return { ...REFUSED, statuses: [404], closes };
  if (operation.allow !== undefined) {
    return { ...REFUSED, statuses: [operation.status], body: '', headers: { allow: operation.allow }, closes };
  }
  return operation.reads && !operation.isMount ? reading(request, operation) : answering(request, operation, undefined);
}

/** The expectation for an operation that reads its body or refuses it. */
function reading(request: ReadRequest, operation: Operation): Expectation {
  const early = earlyRefusals(request, operation);
  if (early.length > 0) {
    const closes = early.every((status) => status === 413) ? 'yes' : hasBody(request) ? 'maybe' : 'no';
    return { ...REFUSED, statuses: early, closes };
  }
  const continues = expectsContinue(request) && hasBody(request);
  const body = request.body ?? '';
  if (body.length > BODY_BYTES) return { statuses: [413], readsBody: true, closes: 'yes', continues };
  const note = operation.takesInput ? noteIn(body) : body === '' || /^[ \t\r\n]*null[ \t\r\n]*$/.test(body) ? '' : undefined;
  if (note === undefined) return { statuses: [400], readsBody: true, closes: 'no', continues };
  return { ...answering(request, operation, note), readsBody: true, closes: 'no', continues };
}

function answering(request: ReadRequest, operation: Operation, note: string | undefined): Expectation {
  const id = operation.id;
  const closes = hasBody(request) ? 'maybe' : 'no';
  if (operation.refusesId) return { ...REFUSED, statuses: [400], closes };
  const continues = operation.isMount && expectsContinue(request);
  const { status, headers, body, invocation, logs = false, hangs = false } = operation.answer({ id: id ?? '', note: note ?? '', request, query: queryOf(request.target) });
  return {
    statuses: hangs ? [] : [status],
    logs,
    hangs,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
    ...(invocation === undefined ? {} : { invocation }),
    readsBody: false,
    closes,
    continues,
  };
}

function earlyRefusals(request: ReadRequest, { refusesId }: Operation): number[] {
  const refusals: number[] = [];
  const coding = joined(request, 'content-encoding');
  if (refusesId) refusals.push(400);
  if (coding !== undefined && coding.toLowerCase() !== 'identity') refusals.push(415);
  if (!isJson(joined(request, 'content-type'))) refusals.push(415);
  if (isUnasked(request)) refusals.push(415);
  if ((request.declared ?? 0) > BODY_BYTES) refusals.push(413);
  return refusals;
}

function admissionRefusals(request: ReadRequest): number[] {
  const { target, method, framing, version } = request;
  if (framing === 'refused') return [400, 501];
  const refusals: number[] = [];
  const [host, ...hosts] = valuesOf(request, 'host');
  const authority = /^https?:\/\/([^/?]*)/i.exec(target)?.[1];
  if (!isTarget(method, target) || (authority !== undefined && !isHost(authority))) refusals.push(400);
  if (hosts.length > 0 || (host === undefined ? version === '1.1' : !isHost(host))) refusals.push(400);
  if (valuesOf(request, 'content-type').length > 1) refusals.push(400);
  const expectation = joined(request, 'expect')?.toLowerCase();
  if (version === '1.1' && expectation !== undefined && expectation !== '100-continue') refusals.push(417);
  const webSocket = valuesOf(request, 'sec-websocket-version').at(-1) ?? '13';
  if (version === '1.1' && joined(request, 'upgrade')?.toLowerCase() === 'websocket' && webSocket !== '13') refusals.push(426);
  return refusals;
}

function isTarget(method: string, target: string): boolean {
  if (/[^\x21-\x7e]|#/.test(target) || method === 'CONNECT') return false;
  const path = target.split('?', 1)[0] ?? '';
  if (/\\|%0[0ad]/i.test(path)) return false;
  return target.startsWith('/') || (target === '*' && method === 'OPTIONS') || /^https?:\/\//i.test(target);
}

function isHost(text: string): boolean {
  const [found, ipv6, port = ''] = HOST.exec(text) ?? [];
  return found !== undefined && (ipv6 === undefined || isIPv6(ipv6)) && Number(port) < 65_536;
}

const JSON_TYPE = /^(?:application\/json|[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+\+json)[ \t]*(?:;[ \t]*|;[ \t]*charset=(?:"utf-8"|utf-8)[ \t]*|;[ \t]*[!#$%&'*+.^`|~\w-]+=(?:[!#$%&'*+.^`|~\w-]+|"[^"\\]*")[ \t]*)*$/i;

/** Simpler than the rule: the grammar generates no other parameters, and mutations rarely do. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const charset = /;[ \t]*charset=("?)([^;"]*)\1/i.exec(contentType)?.[2]?.trim().toLowerCase() ?? 'utf-8';
  return JSON_TYPE.test(contentType) && charset === 'utf-8';
}

function pathOf(target: string): string {
  const path = (target.split('?', 1)[0] ?? '').replace(/^https?:\/\/[^/?]*/i, '');
  return path === '' ? '/' : path;
}

function queryOf(target: string): string {
  return target.includes('?') ? target.slice(target.indexOf('?')) : '';
}

function hasBody({ framing, declared }: ReadRequest): boolean {
  return framing === 'chunked' || declared !== 0;
}

function expectsContinue(request: ReadRequest): boolean {
  return request.version === '1.1' && joined(request, 'expect')?.toLowerCase() === '100-continue';
}

function valuesOf({ headers }: ReadRequest, wanted: string): string[] {
  return headers.filter(([name]) => name === wanted).map(([, value]) => value);
}

function joined(request: ReadRequest, name: string): string | undefined {
  const values = valuesOf(request, name);
  return values.length === 0 ? undefined : values.join(', ');
}
