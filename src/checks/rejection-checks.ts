/**
 * The server rejects invalid bodies, callers without credentials or without a scope, and methods that are not declared at a path (RFC 9110
 * section 15.5.6). Such requests change nothing.
 */
import { JSON_TYPE } from '../openapi/content.ts';
import { splitTemplate, fillTemplate } from '../router/pattern.ts';
import { type Check, makeCheck, type Tools } from './check.ts';
import { makeItem } from './read-checks.ts';
import { makeFailure, type RequestParts } from './requests.ts';
import { readShape, type Subject, takesForm, takesJson } from './subject.ts';

/** A body that must be rejected. */
interface RejectedBody {
  readonly what: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly body: () => Uint8Array;
}

const WRONG: readonly unknown[] = [null, 'text', 0, [], {}];
// A test must not take long, nor much memory.
const MAX_SENT = 32 * 1024 * 1024;

export function bodyChecks(tools: Tools): Check[] {
  return tools.subjects.filter(({ operation }) => operation.input !== undefined).flatMap((subject) => {
    const { route, isCallable, operationId } = subject;
    const uncalled = isCallable ? undefined : `samples.${operationId} is false`;
    const missing = uncalled ?? explainNoCredentials(tools, subject) ?? tools.items.explainUnreached(subject);
    const claim = tools.observations.makeClaim(subject);
    return [
      ...listRejected(tools, subject).map((rejected) => {
        const name = `${route}: ${rejected.what} -> ${rejected.status}${claim}`;
        return makeCheck(name, missing, () => checkRejectedBody(tools, subject, rejected));
      }),
      ...listUnsent(tools, subject).map(([what, why]) => makeCheck(`${route}: ${what}`, why, async () => {})),
    ];
  });
}

function explainNoCredentials({ requests }: Tools, subject: Subject): string | undefined {
  return requests.hasCredentials(subject) ? undefined : `options.headers have no ${subject.credentials.join(' and no ')}`;
}

function listRejected(tools: Tools, subject: Subject): RejectedBody[] {
  const { operation: { bodyBytes, endpoint: { defaults: { validationStatus } } } } = subject;
  const encode = (json: string) => (): Uint8Array => Buffer.from(json);
  const { format: { types } = {} } = subject.operation;
  const type = takesJson(subject) ? JSON_TYPE : types?.[0]?.replace('*', 'x') ?? 'application/octet-stream';
  const isTyped = takesJson(subject) || (types !== undefined && !types.includes('*/*'));
  const wrong = findWrongValue(tools, subject);
  return [
    ...(isTyped ? [{ what: 'a different media type', status: 415, type: 'x-none/x-none', body: encode('{}') }] : []),
    ...(bodyBytes < MAX_SENT ? [
      { what: `more than ${bodyBytes} bytes`, status: 413, type, body: () => Buffer.alloc(bodyBytes + 1, ' ') },
    ] : []),
    ...(takesJson(subject) ? [
      { what: 'JSON that is cut short', status: 400, type, body: encode('{"a":') },
      { what: 'a key named __proto__', status: 400, type, body: encode('{"__proto__":{"a":1}}') },
    ] : []),
    ...(takesForm(subject) ? listRejectedForms(tools, subject) : []),
    ...(wrong === undefined ? [] : [{ what: `${wrong}, which its schema rejects`, status: validationStatus, type, body: encode(wrong) }]),
  ];
}

const FORM_TYPE = 'multipart/form-data; boundary=form';

/** Lists forms that are malformed, that have a file in a wrong place, or that lack a field. */
function listRejectedForms({ requests }: Tools, subject: Subject): RejectedBody[] {
  const { operation: { format, endpoint: { defaults: { validationStatus } } } } = subject;
  const makePart = (parameters: string): string => `--form\r\nContent-Disposition: form-data; ${parameters}\r\n\r\nx\r\n`;
  const reject = (what: string, status: number, body: string): RejectedBody => {
    return { what, status, type: FORM_TYPE, body: () => Buffer.from(body) };
  };
  const files = [...format?.[' internal'].files?.keys() ?? []];
  return [
    reject('a form that is cut short', 400, makePart('name="a"')),
    reject('a field named __proto__', 400, `${makePart('name="__proto__"')}--form--`),
    reject('a file that is not declared', 400, `${makePart('name="a file that nobody declares"; filename="a"')}--form--`),
    ...files.map((name) => reject(`a string in place of the file ${name}`, 400, `${makePart(`name="${name}"`)}--form--`)),
    ...(requests.findEmptyFormIssue(subject) === undefined ? [] : [
      reject('an empty form, which its schema rejects', validationStatus, '--form--'),
    ]),
  ];
}

/** Lists the bodies that cannot be sent, and why. */
function listUnsent(tools: Tools, subject: Subject): [what: string, why: string][] {
  const { bodyBytes } = subject.operation;
  const isUnknown = takesJson(subject) && findWrongValue(tools, subject) === undefined;
  return [
    ...(bodyBytes < MAX_SENT ? [] : [['a body that is too long', `it may have ${bodyBytes} bytes`] as [string, string]]),
    ...(isUnknown ? [['a value that its schema rejects', 'it has no JSON Schema that rejects one'] as [string, string]] : []),
  ];
}

/** Finds a JSON value that the document rejects. */
function findWrongValue({ requests }: Tools, subject: Subject): string | undefined {
  if (!takesJson(subject)) return undefined;
  const wrong = WRONG.find((value) => requests.findBodyIssue(subject, value) !== undefined);
  return wrong === undefined ? undefined : JSON.stringify(wrong);
}

async function checkRejectedBody(tools: Tools, subject: Subject, { status, type, body }: RejectedBody): Promise<void> {
  await expectRejected(tools, subject, status, async () => {
    const { query, headers } = await tools.items.makeParts(subject);
    return { query, headers, body: body(), type };
  });
}

/** `unscoped`: the credentials of a caller without any scope. */
export function accessChecks(tools: Tools, unscoped: Readonly<Record<string, string>> | undefined): Check[] {
  return tools.subjects.filter(({ operation, isCallable }) => operation.context !== undefined && isCallable).flatMap((subject) => {
    const { operation: { scopes, context }, route, described: { security } } = subject;
    const isOptional = security !== undefined && subject.credentials.length === 0;
    const missing = context?.security === undefined ? 'its context has no security' : tools.items.explainUnreached(subject);
    const claim = tools.observations.makeClaim(subject);
    const whyScoped = unscoped === undefined ? 'no options.unscoped' : missing;
    const expectCallerRejected = (status: number, credentials: Readonly<Record<string, string>>): Promise<void> => {
      return expectRejected(tools, subject, status, async () => {
        return { ...(tools.items.explainUncalled(subject) === undefined ? await tools.items.makeParts(subject) : {}), credentials };
      });
    };
    return [
      ...(isOptional ? [] : [makeCheck(`${route} without credentials -> 401${claim}`, missing, () => expectCallerRejected(401, {}))]),
      ...(scopes.length === 0 ? [] : [
        makeCheck(`${route} without ${scopes.join(', ')} -> 403${claim}`, whyScoped, () => expectCallerRejected(403, unscoped ?? {})),
      ]),
    ];
  });
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Makes a check for each path. */
export function methodChecks(tools: Tools): Check[] {
  const byPath = new Map(tools.subjects.map((subject) => [readShape(subject.path), subject]));
  return [...byPath.values()].flatMap((subject) => {
    const allowed = listAllowed(tools.subjects, subject.path);
    const others = METHODS.filter((method) => !allowed.includes(method) && method !== 'HEAD');
    const name = `${subject.path}: ${others.join(', ')} -> 405 with Allow: ${allowed.join(', ')}`;
    return others.length === 0 ? [] : [makeCheck(name, undefined, () => checkMethods(tools, subject, allowed, others))];
  });
}

/** Includes patterns that have a parameter in place of a literal of the path, since they match it too. */
function listAllowed(subjects: readonly Subject[], path: string): string[] {
  const segments = splitTemplate(path);
  const serving = subjects.filter((subject) => {
    const own = splitTemplate(subject.path);
    const hasLength = own.at(-1)?.isWildcard === true ? own.length <= segments.length : own.length === segments.length;
    return hasLength && own.every(({ raw, name }, index) => name !== undefined || raw === segments[index]?.raw);
  });
  const methods = serving.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return METHODS.filter((method) => method === 'OPTIONS' || methods.includes(method));
}

async function checkMethods({ requests }: Tools, subject: Subject, allowed: readonly string[], others: readonly string[]): Promise<void> {
  const path = fillTemplate(subject.path, () => '1');
  for (const method of others) {
    const response = await requests.send(subject, method, path);
    const { status, headers: { allow = '' } } = response;
    const given = allow.split(',').map((each) => each.trim());
    const isRight = allowed.every((each) => given.includes(each)) && given.every((each) => allowed.includes(each));
    if (status === 405 && isRight) continue;
    throw makeFailure(response, `405 with Allow: ${allowed.join(', ')}, not ${JSON.stringify(allow)}`, subject);
  }
}

/** Sends a request that must be rejected with a status, and change nothing. */
async function expectRejected(tools: Tools, subject: Subject, status: number, makeParts: () => Promise<RequestParts>): Promise<void> {
  const { requests, observations } = tools;
  const path = await makeItem(tools, subject);
  const before = await observations.observe(subject, path);
  const response = await requests.call(subject, path, await makeParts());
  if (response.status !== status) throw makeFailure(response, String(status), subject);
  await observations.expectUnchanged(before, subject, path, response);
}
