/** What an operation does to an item can be seen: create, get, update and delete belong together. */
import { TIME } from './changed-bodies.ts';
import { type Check, checkOf, type Tools, whyNot } from './check.ts';
import { itemFor } from './read-checks.ts';
import { type Answer, failure, jsonOf } from './requests.ts';
import { isSafe, type Subject, subjectAt, takesJson } from './subject.ts';

export function writeChecks(tools: Tools): Check[] {
  return tools.subjects.filter((subject) => !isSafe(subject)).flatMap((subject) => {
    const missing = whyUnwritten(tools, subject);
    return [
      checkOf(`${subject.route}: the answer is as the document says`, missing, () => checkAnswer(tools, subject)),
      ...resultChecks(tools, subject, missing),
    ];
  });
}

function resultChecks(tools: Tools, subject: Subject, missing: string | undefined): Check[] {
  const { operation: { kind: { suffix }, answer }, method, route, path, sample, makeSample } = subject;
  if (tools.places.locatesItems(subject)) {
    const get = subjectAt(tools.subjects, 'GET', `${path === '/' ? '' : path}/:id`);
    if (get === undefined) return [];
    const why = missing ?? tools.places.whyUncalled(get);
    const what = answer === 'id' ? 'Location is that of an item' : 'Location, or an id in the body, is that of an item';
    return [checkOf(`${route}: ${what}, at ${get.route}`, why, () => checkLocation(tools, subject, get))];
  }
  const get = tools.observations.getAt(path);
  if (get === undefined || suffix !== '/:id') return [];
  if (method === 'PUT') {
    const canDiffer = takesJson(subject) || typeof sample.body === 'function' || makeSample !== undefined;
    return [
      checkOf(`${route}: a second one leaves ${get.route} as the first did`, missing, () => checkTwice(tools, subject, get)),
      ...(canDiffer ? [checkOf(`${route}: one with a different body changes ${get.route}`, missing, () => checkDifferent(tools, subject, get))] : []),
    ];
  }
  if (method === 'DELETE') return [checkOf(`${route}: ${get.route} is 404 after it`, missing, () => checkGone(tools, subject, get))];
  return [];
}

/** Why an operation that changes something cannot be called. */
export function whyUnwritten(tools: Tools, subject: Subject): string | undefined {
  return whyNot(tools, subject) ?? whyUndeletable(tools, subject);
}

/** An item of the host's may be deleted if there is a sample for that. */
function whyUndeletable({ places, subjects }: Tools, subject: Subject): string | undefined {
  const { operation: { endpoint: { isSingleton } }, method, isSampled, operationId } = subject;
  if (method !== 'DELETE' || isSampled) return undefined;
  if (!isSingleton) return places.isCreated(subject) ? undefined : `no create that makes an item to delete, and no samples.${operationId}`;
  const update = subjects.find((each) => each.path === subject.path && each.method === 'PUT');
  const why = update === undefined ? 'no update that puts something there' : places.whyUncalled(update);
  return why === undefined ? undefined : `${why}, and no samples.${operationId}`;
}

async function checkAnswer(tools: Tools, subject: Subject): Promise<void> {
  const answer = await tools.requests.call(subject, await itemFor(tools, subject), await tools.places.partsOf(subject));
  if (answer.status >= 400) throw failure(answer, 'success for the sample', subject);
}

async function checkLocation({ places, requests }: Tools, subject: Subject, get: Subject): Promise<void> {
  const item = await places.create(subject, await places.pathFor(subject));
  const answer = await requests.call(get, item, await places.partsOf(get));
  if (answer.status >= 300) throw failure(answer, 'the item that was created', get);
}

async function checkTwice(tools: Tools, update: Subject, get: Subject): Promise<void> {
  const { places, requests } = tools;
  const [path, parts] = [await itemFor(tools, update), await places.partsOf(update)];
  await requests.call(update, path, parts);
  const first = await requests.call(get, path, await places.partsOf(get));
  const second = await requests.call(update, path, parts);
  if (second.status >= 400) throw failure(second, 'success, as for the first', update);
  const after = await requests.call(get, path, await places.partsOf(get));
  const isSame = first.status === after.status && stateIn(first) === stateIn(after);
  if (!isSame) throw failure(second, `${get.route} is as after the first (RFC 9110 section 9.2.2)`, update);
}

// A test must not take long.
const MAX_TRIED = 30;

/** A body that is rejected, by a rule that no schema states, shows nothing. Nor does a property that the get does not have. */
async function checkDifferent(tools: Tools, update: Subject, get: Subject): Promise<void> {
  const { places, requests } = tools;
  const path = await itemFor(tools, update);
  const parts = await places.partsOf(update);
  await requests.call(update, path, parts);
  const before = await requests.call(get, path, await places.partsOf(get));
  let without: Answer | undefined;
  let tried = 0;
  for await (const { body, key } of differentBodies(tools, update, parts.body)) {
    if (key !== undefined && !before.body.includes(`${JSON.stringify(key)}:`)) continue;
    const answer = await requests.call(update, path, { ...await places.partsOf(update), body });
    // 202: the change may come later.
    if (answer.status < 300 && answer.status !== 202) {
      const after = await requests.call(get, path, await places.partsOf(get));
      if (after.status !== before.status || stateIn(after) !== stateIn(before)) return;
      without = answer;
    }
    tried += 1;
    if (tried === MAX_TRIED) break;
  }
  if (without !== undefined) throw failure(without, `${get.route} is not as before, since the body is a different one`, update);
}

/** The body of a second sample, if that is a function; then the first one with one value changed. */
async function* differentBodies(
  { places, requests }: Tools, update: Subject, first: Uint8Array | undefined,
): AsyncGenerator<{ readonly body: Uint8Array; readonly key?: string | undefined }> {
  const { body: second } = await places.partsOf(update);
  if (first === undefined || second === undefined) return;
  if (!takesJson(update)) {
    if (!Buffer.from(second).equals(first)) yield { body: second };
    return;
  }
  const [one, other] = [first, second].map((each) => jsonOf(Buffer.from(each))?.json);
  const key = Object.keys(Object(other) as object).find((name) => JSON.stringify(Object(one)[name]) !== JSON.stringify(Object(other)[name]));
  if (key !== undefined) yield { body: second, key };
  for (const changed of requests.bodiesBeside(update, one)) yield { body: Buffer.from(JSON.stringify(changed.body)), key: changed.key };
}

/** An item as text, without its times and its version: a store may note each change, even if it changes nothing else. */
function stateIn({ body, headers: { etag } }: Answer): string {
  const parsed = jsonOf(body);
  if (parsed === undefined) return body.toString('base64');
  return JSON.stringify(parsed.json, (_, value: unknown) => {
    if (typeof value === 'string' && TIME.test(value)) return 'a time';
    return typeof value !== 'object' && `"${String(value)}"` === etag ? 'its version' : value;
  });
}

async function checkGone(tools: Tools, subject: Subject, get: Subject): Promise<void> {
  const { places, requests } = tools;
  const path = await itemFor(tools, subject);
  const deleted = await requests.call(subject, path, await places.partsOf(subject));
  if (deleted.status >= 300) throw failure(deleted, 'success for an item that exists', subject);
  const answer = await requests.call(get, path, await places.partsOf(get));
  if (![404, 410].includes(answer.status)) throw failure(answer, `404 after ${subject.route}`, get);
}
