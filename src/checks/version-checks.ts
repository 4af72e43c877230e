/** Items have versions: an answer names its own, and a change that is for another one is refused (RFC 9110 section 13). */
import { comparesVersions } from '../endpoint/versions.ts';
import { type Check, checkOf, type Tools, whyNot } from './check.ts';
import { itemFor, whyVaried } from './read-checks.ts';
import { type Answer, failure } from './requests.ts';
import { type Subject, subjectAt } from './subject.ts';
import { whyUnwritten } from './write-checks.ts';

// No version that a store has.
const OTHER_TAG = '"restpoint-checks-none"';
const STRONG_TAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Those of each endpoint with `version`. */
export function versionChecks(tools: Tools): Check[] {
  return tools.subjects.flatMap((subject) => {
    if (subject.method === 'GET' && subject.operation.tagOf !== undefined) return [tagCheck(tools, subject)];
    return comparesVersions(subject.operation) ? changeChecks(tools, subject) : [];
  });
}

function tagCheck(tools: Tools, get: Subject): Check {
  const missing = whyNot(tools, get) ?? whyVaried(get);
  return checkOf(`${get.route}: an ETag, and 304 to If-None-Match with it`, missing, () => checkTag(tools, get));
}

function changeChecks(tools: Tools, subject: Subject): Check[] {
  const { route, operation: { kind: { method }, conditions } } = subject;
  const missing = whyUnwritten(tools, subject);
  const claim = tools.observations.claimOf(subject);
  const get = getOf(tools, subject);
  const canRepeat = get !== undefined && method !== 'DELETE';
  return [
    checkOf(`${route}: If-Match with another version -> 412${claim}`, missing, () => checkRefused(tools, subject, 412, { 'if-match': OTHER_TAG })),
    ...(conditions === 'required' ? [
      checkOf(`${route}: no If-Match -> 428${claim}`, missing, () => checkRefused(tools, subject, 428, { 'if-match': undefined })),
    ] : []),
    ...(canRepeat ? [
      checkOf(`${route}: If-Match with the version of ${get.route} -> success, and 412 once that has changed`, missing, () => checkChange(tools, subject, get)),
    ] : []),
  ];
}

/** The get of the item that an operation changes, if its answers can be compared. */
function getOf({ subjects, observations }: Tools, { path, operation: { kind: { suffix }, endpoint: { isSingleton } } }: Subject): Subject | undefined {
  const item = suffix.endsWith('/<name>') && !isSingleton ? path.replace(/\/[^/]*$/, '') : path;
  const get = subjectAt(subjects, 'GET', item);
  return get?.operation.tagOf === undefined ? undefined : observations.getAt(item);
}

async function checkTag(tools: Tools, get: Subject): Promise<void> {
  const { places, requests } = tools;
  const [path, parts] = [await itemFor(tools, get), await places.partsOf(get)];
  const tag = tagIn(await requests.call(get, path, parts), get);
  const answer = await requests.call(get, path, { ...parts, fields: { ...parts.fields, 'if-none-match': tag } });
  if (answer.status !== 304) throw failure(answer, `304 to If-None-Match: ${tag}`, get);
}

async function checkRefused(tools: Tools, subject: Subject, status: number, fields: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { places, requests, observations } = tools;
  const path = await itemFor(tools, subject);
  const before = await observations.observe(subject, path);
  const parts = await places.partsOf(subject);
  const own = Object.entries({ ...parts.fields, ...fields }).filter((field): field is [string, string] => field[1] !== undefined);
  const answer = await requests.call(subject, path, { ...parts, fields: Object.fromEntries(own) });
  if (answer.status !== status) throw failure(answer, String(status), subject);
  await observations.expectUnchanged(before, subject, path, answer);
}

async function checkChange(tools: Tools, subject: Subject, get: Subject): Promise<void> {
  const { places, requests, observations } = tools;
  const path = await itemFor(tools, subject);
  const item = path.split('/').slice(0, get.path.split('/').length).join('/');
  const first = await requests.call(get, item, await places.partsOf(get));
  const parts = await places.partsOf(subject);
  const matching = { ...parts, fields: { ...parts.fields, 'if-match': tagIn(first, get) } };
  const changed = await requests.call(subject, path, matching);
  if (changed.status >= 400) throw failure(changed, `success for If-Match: ${matching.fields['if-match']}, the version of ${get.route}`, subject);
  const second = await requests.call(get, item, await places.partsOf(get));
  if (second.headers['etag'] === first.headers['etag']) {
    if (!second.body.equals(first.body)) throw failure(second, `another ETag than before ${subject.route}, which has changed the item`, get);
    return;
  }
  const before = await observations.observe(subject, path);
  const late = await requests.call(subject, path, matching);
  if (late.status !== 412) throw failure(late, `412 to If-Match: ${matching.fields['if-match']}, which is no longer the version`, subject);
  await observations.expectUnchanged(before, subject, path, late);
}

function tagIn(answer: Answer, get: Subject): string {
  const { etag } = answer.headers;
  if (answer.status >= 300) throw failure(answer, 'success for an item that exists', get);
  if (etag === undefined || !STRONG_TAG.test(etag)) throw failure(answer, `a strong ETag, and not ${String(etag)}`, get);
  return etag;
}
