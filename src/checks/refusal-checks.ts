/** Bodies that must be refused are, and nothing is done before. */
import { type Check, checkOf, type Tools } from './check.ts';
import { itemFor } from './read-checks.ts';
import { failure } from './requests.ts';
import { type Subject, takesJson } from './subject.ts';

/** A body to refuse. */
interface Refused {
  readonly what: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly body: () => Uint8Array;
}

const JSON_TYPE = 'application/json';
const WRONG: readonly unknown[] = [null, 'text', 0, [], {}];
// A test must not take long, nor much memory.
const MAX_SENT = 32 * 1024 * 1024;

export function refusalChecks(tools: Tools): Check[] {
  return tools.subjects.filter(({ operation }) => operation.input !== undefined).flatMap((subject) => {
    const { route, isCallable, operationId } = subject;
    const uncalled = isCallable ? undefined : `samples.${operationId} is false`;
    const missing = uncalled ?? whyNoCredentials(tools, subject) ?? tools.places.whyUnreached(subject);
    const claim = tools.observations.claimOf(subject);
    return [
      ...refusedBy(tools, subject).map((refused) => {
        return checkOf(`${route}: ${refused.what} -> ${refused.status}${claim}`, missing, () => checkRefused(tools, subject, refused));
      }),
      ...unsentOf(tools, subject).map(([what, why]) => checkOf(`${route}: ${what}`, why, async () => {})),
    ];
  });
}

function whyNoCredentials({ requests }: Tools, subject: Subject): string | undefined {
  return requests.hasCredentials(subject) ? undefined : `options.headers have no ${subject.credentials.join(' and no ')}`;
}

function refusedBy(tools: Tools, subject: Subject): Refused[] {
  const { operation: { bodyBytes, endpoint: { defaults: { contentType, validationStatus } } } } = subject;
  const text = (json: string) => (): Uint8Array => Buffer.from(json);
  const { format: { types } = {} } = subject.operation;
  const type = takesJson(subject) ? JSON_TYPE : types?.[0]?.replace('*', 'x') ?? 'application/octet-stream';
  const isTyped = takesJson(subject) ? contentType === 'json' : types !== undefined && !types.includes('*/*');
  const wrong = wrongValueFor(tools, subject);
  return [
    ...(isTyped ? [{ what: 'another media type', status: 415, type: 'x-none/x-none', body: text('{}') }] : []),
    ...(bodyBytes < MAX_SENT ? [{ what: `more than ${bodyBytes} bytes`, status: 413, type, body: () => Buffer.alloc(bodyBytes + 1, ' ') }] : []),
    ...(takesJson(subject) ? [
      { what: 'JSON that is cut short', status: 400, type, body: text('{"a":') },
      { what: 'a key named __proto__', status: 400, type, body: text('{"__proto__":{"a":1}}') },
    ] : []),
    ...(wrong === undefined ? [] : [{ what: `${wrong}, which its schema refuses`, status: validationStatus, type, body: text(wrong) }]),
  ];
}

/** What cannot be sent, and why. */
function unsentOf(tools: Tools, subject: Subject): [what: string, why: string][] {
  const { bodyBytes } = subject.operation;
  const isUnknown = takesJson(subject) && wrongValueFor(tools, subject) === undefined;
  return [
    ...(bodyBytes < MAX_SENT ? [] : [['a body that is too long', `it may have ${bodyBytes} bytes`] as [string, string]]),
    ...(isUnknown ? [['a value that its schema refuses', 'it has no JSON Schema that refuses one'] as [string, string]] : []),
  ];
}

/** A JSON text that the document refuses. */
function wrongValueFor({ requests }: Tools, subject: Subject): string | undefined {
  if (!takesJson(subject)) return undefined;
  const wrong = WRONG.find((value) => requests.faultOfBody(subject, value) !== undefined);
  return wrong === undefined ? undefined : JSON.stringify(wrong);
}

async function checkRefused(tools: Tools, subject: Subject, { status, type, body }: Refused): Promise<void> {
  const { places, requests, observations } = tools;
  const path = await itemFor(tools, subject);
  const before = await observations.observe(subject, path);
  const { query, fields } = await places.partsOf(subject);
  const answer = await requests.call(subject, path, { query, fields, body: body(), type });
  if (answer.status !== status) throw failure(answer, String(status), subject);
  await observations.expectUnchanged(before, subject, path, answer);
}
