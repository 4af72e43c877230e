/**
 * The server rejects invalid bodies, callers without credentials or without a scope, and methods that are not declared at a path (RFC 9110
 * section 15.5.6). Such requests change nothing.
 */
import { JSON_TYPE } from '../openapi/content.ts';
import { splitTemplate } from '../router/pattern.ts';
import { allowed, type AnyRow, called, reached, row, signedIn, type Tools } from './row.ts';
import { readShape, type Subject, takesForm, takesJson } from './subject.ts';

/** A body that must be rejected. */
interface RejectedBody {
  readonly what: string;
  readonly status?: number;
  readonly body?: string | (() => Buffer);
  readonly type?: string;
  /** Why it cannot be sent. */
  readonly why?: string;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const WRONG: readonly unknown[] = [null, 'text', 0, [], {}];
// A test must not take long, nor much memory.
const MAX_SENT = 32 * 1024 * 1024;
const FORM_TYPE = 'multipart/form-data; boundary=form';

const makePart = (parameters: string): string => `--form\r\nContent-Disposition: form-data; ${parameters}\r\n\r\nx\r\n`;

/** Bodies that must be rejected, with the rules that say so, and where they apply. */
const BODIES: readonly (readonly [rules: string, find: (subject: Subject, tools: Tools) => readonly RejectedBody[]])[] = [
  ['B2 F1', (subject) => (isTyped(subject) ? [{ what: 'a different media type', status: 415, type: 'x-none/x-none', body: '{}' }] : [])],
  ['B4', ({ operation: { bodyBytes } }) => {
    if (bodyBytes >= MAX_SENT) return [{ what: 'a body that is too long', why: `it may have ${bodyBytes} bytes` }];
    return [{ what: `more than ${bodyBytes} bytes`, status: 413, body: () => Buffer.alloc(bodyBytes + 1, ' ') }];
  }],
  ['B5 B6', (subject) => (takesJson(subject) ? [
    { what: 'JSON that is cut short', status: 400, body: '{"a":' },
    { what: 'a key named __proto__', status: 400, body: '{"__proto__":{"a":1}}' },
  ] : [])],
  ['B8', (subject, { requests }) => {
    if (!takesJson(subject)) return [];
    const wrong = WRONG.find((value) => requests.findBodyIssue(subject, value) !== undefined);
    if (wrong === undefined) return [{ what: 'a value that its schema rejects', why: 'it has no JSON Schema that rejects one' }];
    const body = JSON.stringify(wrong);
    return [{ what: `${body}, which its schema rejects`, status: subject.operation.endpoint.defaults.validationStatus, body }];
  }],
  ['F13 F14', (subject, { requests }) => {
    const { format, endpoint: { defaults: { validationStatus } } } = subject.operation;
    const files = [...format?.[' internal'].files?.keys() ?? []];
    const forms: readonly (readonly [what: string, body: string, status?: number])[] = takesForm(subject) ? [
      ['a form that is cut short', makePart('name="a"')],
      ['a field named __proto__', `${makePart('name="__proto__"')}--form--`],
      ['a file that is not declared', `${makePart('name="a file that nobody declares"; filename="a"')}--form--`],
      ...files.map((name) => [`a string in place of the file ${name}`, `${makePart(`name="${name}"`)}--form--`] as const),
      ...(requests.findEmptyFormIssue(subject) === undefined ? [] : [['an empty form, which its schema rejects', '--form--', validationStatus] as const]),
    ] : [];
    return forms.map(([what, body, status = 400]) => ({ what, status, type: FORM_TYPE, body }));
  }],
];

function isTyped(subject: Subject): boolean {
  const { types } = subject.operation.format ?? {};
  return takesJson(subject) || (types !== undefined && !types.includes('*/*'));
}

function readBodyType(subject: Subject): string {
  return takesJson(subject) ? JSON_TYPE : subject.operation.format?.types?.[0]?.replace('*', 'x') ?? 'application/octet-stream';
}

export const REJECTIONS: readonly AnyRow[] = [
  ...BODIES.map(([rules, find]) => row<RejectedBody>({
    rules, find: (subject, tools) => (subject.operation.input === undefined ? [] : find(subject, tools)),
    what: ({ route }, { what, status }) => `${route}: ${what}${status === undefined ? '' : ` -> ${status}`}`,
    keeps: ({ why }) => why === undefined, needs: [allowed, signedIn, reached, (_, __, { why }) => why],
    verify: (probe, { status = 0, body = '', type = readBodyType(probe.subject) }) => {
      return probe.reject(status, { type, body: typeof body === 'string' ? Buffer.from(body) : body() });
    },
  })),
  row({
    rules: 'O11 Q4',
    // An empty requirement means that credentials are optional.
    find: ({ operation, isCallable, described: { security }, credentials }) => {
      return operation.context !== undefined && isCallable && (security === undefined || credentials.length > 0);
    },
    what: ({ route }) => `${route} without credentials -> 401`,
    keeps: () => true, needs: [secured, reached],
    verify: (probe) => probe.reject(401, { credentials: {} }),
  }),
  row({
    rules: 'Q5', find: ({ operation: { context, scopes }, isCallable }) => context !== undefined && isCallable && scopes.length > 0,
    what: ({ route, operation: { scopes } }) => `${route} without ${scopes.join(', ')} -> 403`,
    keeps: () => true, needs: [(_, { options }) => (options.unscoped === undefined ? 'no options.unscoped' : undefined), secured, reached],
    verify: (probe) => probe.reject(403, { credentials: probe.tools.options.unscoped ?? {} }),
  }),
  row<Readonly<Record<string, string>>>({
    rules: 'Y9', find: ({ operationId }, { options: { strangers: { [operationId]: credentials } } }) => credentials,
    what: ({ route }) => `${route} by a caller to whom its item does not belong -> a rejection`,
    keeps: () => true, needs: [called],
    verify: async (probe, credentials) => {
      // A cache may have what its owner has read.
      if (probe.subject.operation.kind.reads) await probe.succeed('success for its owner');
      await probe.keep(async () => {
        const response = await probe.call({ credentials });
        const { status } = response;
        return probe.expect(status > 401 && status < 500, response, '403 or 404 for an item of a different caller');
      });
    },
  }),
];

function secured({ operation: { context } }: Subject): string | undefined {
  return context?.security === undefined ? 'its context has no security' : undefined;
}

/** One check for each path. */
export const PATHS: readonly AnyRow[] = [
  row<{ readonly served: readonly string[]; readonly others: readonly string[] }>({
    rules: 'A8',
    find: (subject, { subjects }) => {
      const shape = readShape(subject.path);
      const served = listServed(subjects, subject.path);
      const others = METHODS.filter((method) => !served.includes(method) && method !== 'HEAD');
      const isLast = subjects.findLast(({ path }) => readShape(path) === shape) === subject;
      return isLast && others.length > 0 ? [{ served, others }] : [];
    },
    what: ({ path }, { served, others }) => `${path}: ${others.join(', ')} -> 405 with Allow: ${served.join(', ')}`,
    needs: [],
    verify: async (probe, { served, others }) => {
      for (const method of others) {
        const response = await probe.tools.requests.send(probe.subject, method, probe.path);
        const { status, headers: { allow = '' } } = response;
        const given = allow.split(',').map((each) => each.trim());
        const isRight = status === 405 && served.every((each) => given.includes(each)) && given.every((each) => served.includes(each));
        probe.expect(isRight, response, `405 with Allow: ${served.join(', ')}, not ${JSON.stringify(allow)}`);
      }
    },
  }),
];

/** Includes patterns that have a parameter in place of a literal of the path, since they match it too. */
function listServed(subjects: readonly Subject[], path: string): string[] {
  const segments = splitTemplate(path);
  const serving = subjects.filter((subject) => {
    const own = splitTemplate(subject.path);
    const hasLength = own.at(-1)?.isWildcard === true ? own.length <= segments.length : own.length === segments.length;
    return hasLength && own.every(({ raw, name }, index) => name !== undefined || raw === segments[index]?.raw);
  });
  const methods = serving.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return METHODS.filter((method) => method === 'OPTIONS' || methods.includes(method));
}
