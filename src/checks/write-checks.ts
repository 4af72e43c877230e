/** The effects of create, update and delete can be seen by GET. A request that is repeated with its `Idempotency-Key` is done once. */
import { type Check, explainNotCalled, makeCheck, type Tools } from './check.ts';
import { KEY_HEADER } from './items.ts';
import { makeItem } from './read-checks.ts';
import { makeFailure, tryJson, type RequestParts, type ReceivedResponse, TIME } from './requests.ts';
import { findSubject, findUpdate, isSafeSubject, listIntercepted, type Subject, takesJson } from './subject.ts';

export function writeChecks(tools: Tools): Check[] {
  return tools.subjects.filter((subject) => !isSafeSubject(subject)).flatMap((subject) => {
    const missing = explainUnwritten(tools, subject);
    return [
      makeCheck(`${subject.route}: the response is as the document says`, missing, () => verifyWrite(tools, subject)),
      ...resultChecks(tools, subject, missing),
    ];
  });
}

function resultChecks(tools: Tools, subject: Subject, missing: string | undefined): Check[] {
  const { operation: { kind, resultKind }, route, path, sample, makeSample } = subject;
  if (tools.items.locatesItems(subject)) {
    const get = findSubject(tools.subjects, 'GET', `${path === '/' ? '' : path}/:id`);
    if (get === undefined) return [];
    const why = missing ?? tools.items.explainUncalled(get);
    const what = resultKind === 'id' ? 'Location leads to an item' : 'Location, or an id in the body, leads to an item';
    return [makeCheck(`${route}: ${what}, at ${get.route}`, why, () => checkLocation(tools, subject, get))];
  }
  const get = tools.observations.findGet(path);
  if (get === undefined || !kind.isOfItem || kind.isNamed) return [];
  if (kind.body === 'whole') {
    const canDiffer = takesJson(subject) || typeof sample.body === 'function' || makeSample !== undefined;
    return [
      makeCheck(`${route}: a repeated one does not change ${get.route}`, missing, () => checkTwice(tools, subject, get)),
      ...(canDiffer ? [
        makeCheck(`${route}: one with a different body changes ${get.route}`, missing, () => checkDifferent(tools, subject, get)),
      ] : []),
    ];
  }
  if (kind.removes) return [makeCheck(`${route}: ${get.route} returns 404 after it`, missing, () => checkGone(tools, subject, get))];
  return [];
}

/** Why an operation that changes something cannot be called. */
export function explainUnwritten(tools: Tools, subject: Subject): string | undefined {
  return explainNotCalled(tools, subject) ?? explainUndeletable(tools, subject);
}

/** The checks delete only items that they have created, and change all items only by a sample. */
function explainUndeletable({ items, subjects }: Tools, subject: Subject): string | undefined {
  const { operation: { kind, endpoint: { isSingleton } }, isSampled, operationId } = subject;
  if (isSampled || !(kind.removes || kind.conditions === 'items')) return undefined;
  if (!isSingleton) return items.isCreated(subject) ? undefined : `no create that makes an item to delete, and no samples.${operationId}`;
  const update = findUpdate(subjects, subject);
  const why = update === undefined ? 'no update that puts something there' : items.explainUncalled(update);
  return why === undefined ? undefined : `${why}, and no samples.${operationId}`;
}

async function verifyWrite(tools: Tools, subject: Subject): Promise<void> {
  const response = await tools.requests.call(subject, await makeItem(tools, subject), await tools.items.makeParts(subject));
  if (response.status >= 400) throw makeFailure(response, 'success for the sample', subject);
}

async function checkLocation({ items, requests }: Tools, subject: Subject, get: Subject): Promise<void> {
  const item = await items.create(subject, await items.makePath(subject));
  const response = await requests.call(get, item, await items.makeParts(get));
  if (response.status >= 300) throw makeFailure(response, 'the item that was created', get);
}

async function checkTwice(tools: Tools, update: Subject, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const [path, parts] = [await makeItem(tools, update), await items.makeParts(update)];
  await requests.call(update, path, parts);
  const first = await requests.call(get, path, await items.makeParts(get));
  const second = await requests.call(update, path, parts);
  if (second.status >= 400) throw makeFailure(second, 'success, as for the first', update);
  const after = await requests.call(get, path, await items.makeParts(get));
  const isSame = first.status === after.status && readState(first) === readState(after);
  if (!isSame) throw makeFailure(second, `the same ${get.route} as after the first (RFC 9110 section 9.2.2)`, update);
}

// A test must not take long.
const MAX_TRIED = 30;

/** A body that the server rejects, by a rule that is in no schema, shows nothing. Nor does a property that GET does not show. */
async function checkDifferent(tools: Tools, update: Subject, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const path = await makeItem(tools, update);
  const parts = await items.makeParts(update);
  await requests.call(update, path, parts);
  const before = await requests.call(get, path, await items.makeParts(get));
  let without: ReceivedResponse | undefined;
  let tried = 0;
  for await (const { body, key } of differentBodies(tools, update, parts.body)) {
    if (key !== undefined && !before.body.includes(`${JSON.stringify(key)}:`)) continue;
    const response = await requests.call(update, path, { ...await items.makeParts(update), body });
    // 202: the change may come later.
    if (response.status < 300 && response.status !== 202) {
      const after = await requests.call(get, path, await items.makeParts(get));
      if (after.status !== before.status || readState(after) !== readState(before)) return;
      without = response;
    }
    tried += 1;
    if (tried === MAX_TRIED) break;
  }
  if (without !== undefined) throw makeFailure(without, `a different ${get.route} than before, since the body is different`, update);
}

/** The body of a second sample, if that is a function; then the first one with one value changed. */
async function* differentBodies(
  { items, requests }: Tools, update: Subject, first: Uint8Array | undefined,
): AsyncGenerator<{ readonly body: Uint8Array; readonly key?: string | undefined }> {
  const { body: second } = await items.makeParts(update);
  if (first === undefined || second === undefined) return;
  if (!takesJson(update)) {
    if (!Buffer.from(second).equals(first)) yield { body: second };
    return;
  }
  const [one, other] = [first, second].map((each) => tryJson(Buffer.from(each))?.json);
  const differs = (name: string): boolean => JSON.stringify(Object(one)[name]) !== JSON.stringify(Object(other)[name]);
  const changedKey = Object.keys(Object(other) as object).find(differs);
  if (changedKey !== undefined) yield { body: second, key: changedKey };
  for (const { body, key } of requests.makeDifferentBodies(update, one)) yield { body: Buffer.from(JSON.stringify(body)), key };
}

/** Formats an item as a string, without its times and its version: a store may note each change, even if it changes nothing else. */
function readState({ body, headers: { etag } }: ReceivedResponse): string {
  const parsed = tryJson(body);
  if (parsed === undefined) return body.toString('base64');
  return JSON.stringify(parsed.json, (_, value: unknown) => {
    if (typeof value === 'string' && TIME.test(value)) return 'a time';
    return typeof value !== 'object' && `"${String(value)}"` === etag ? 'its version' : value;
  });
}

async function checkGone(tools: Tools, subject: Subject, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const path = await makeItem(tools, subject);
  const deleted = await requests.call(subject, path, await items.makeParts(subject));
  if (deleted.status >= 300) throw makeFailure(deleted, 'success for an item that exists', subject);
  const response = await requests.call(get, path, await items.makeParts(get));
  if (![404, 410].includes(response.status)) throw makeFailure(response, `404 after ${subject.route}`, get);
}

/** Makes the checks of operations with `idempotent`: a request that is repeated with its key is done once, and gets the first response. */
export function keyChecks(tools: Tools): Check[] {
  return tools.subjects.filter((subject) => listIntercepted(subject, 'headers').includes(KEY_HEADER)).flatMap((subject) => {
    const { route } = subject;
    const missing = explainUnwritten(tools, subject);
    const claim = tools.observations.makeClaim(subject);
    return [
      makeCheck(`${route}: a repeated ${KEY_HEADER} -> the first response again${claim}`, missing, () => checkRepeated(tools, subject)),
      ...(takesJson(subject) ? [
        makeCheck(`${route}: a different body with the same ${KEY_HEADER} -> 422${claim}`, missing, () => checkOther(tools, subject)),
      ] : []),
    ];
  });
}

async function checkRepeated(tools: Tools, subject: Subject): Promise<void> {
  const { requests, observations } = tools;
  const { path, parts } = await keyedRequest(tools, subject);
  const first = await requests.call(subject, path, parts);
  if (first.status >= 400) throw makeFailure(first, 'success for the sample', subject);
  const before = await observations.observe(subject, path);
  const second = await requests.call(subject, path, parts);
  const isSame = second.status === first.status && second.body.equals(first.body);
  if (!isSame) throw makeFailure(second, `${first.status} with the body of the first response`, subject);
  if (second.headers['idempotent-replayed'] !== 'true') throw makeFailure(second, 'Idempotent-Replayed: true', subject);
  await observations.expectUnchanged(before, subject, path, second);
}

async function checkOther(tools: Tools, subject: Subject): Promise<void> {
  const { requests, observations } = tools;
  const { path, parts } = await keyedRequest(tools, subject);
  await requests.call(subject, path, parts);
  const before = await observations.observe(subject, path);
  // White space makes it a different body with the same value.
  const other = await requests.call(subject, path, { ...parts, body: Buffer.concat([parts.body ?? Buffer.alloc(0), Buffer.from(' ')]) });
  if (other.status !== 422) throw makeFailure(other, '422', subject);
  await observations.expectUnchanged(before, subject, path, other);
}

/** A request that can be sent again as it is: a sample that is a function makes a new body each time. */
async function keyedRequest(tools: Tools, subject: Subject): Promise<{ readonly path: string; readonly parts: RequestParts }> {
  const path = await makeItem(tools, subject);
  const parts = await tools.items.makeParts(subject);
  return { path, parts: { ...parts, headers: { ...parts.headers, [KEY_HEADER]: crypto.randomUUID() } } };
}
