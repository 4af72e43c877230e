/** Items have versions: a response names its own, and a change that is for a different one is rejected (RFC 9110 section 13). */
import { comparesVersions } from '../endpoint/versions.ts';
import { type Check, makeCheck, type Tools, explainNotCalled } from './check.ts';
import { makeItem, explainVaried } from './read-checks.ts';
import { type ReceivedResponse, makeFailure } from './requests.ts';
import { type Subject, findSubject } from './subject.ts';
import { explainUnwritten } from './write-checks.ts';

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
  const missing = explainNotCalled(tools, get) ?? explainVaried(get);
  return makeCheck(`${get.route}: an ETag, and 304 to If-None-Match with it`, missing, () => checkTag(tools, get));
}

function changeChecks(tools: Tools, subject: Subject): Check[] {
  const { route, method, operation: { conditions } } = subject;
  const missing = explainUnwritten(tools, subject);
  const claim = tools.observations.makeClaim(subject);
  const get = findItemGet(tools, subject);
  const canRepeat = get !== undefined && method !== 'DELETE';
  return [
    makeCheck(`${route}: If-Match with a different version -> 412${claim}`, missing, () => checkRefused(tools, subject, 412, { 'if-match': OTHER_TAG })),
    ...(conditions === 'required' ? [
      makeCheck(`${route}: no If-Match -> 428${claim}`, missing, () => checkRefused(tools, subject, 428, { 'if-match': undefined })),
    ] : []),
    ...(canRepeat ? [
      makeCheck(`${route}: If-Match with the version of ${get.route} -> success, and 412 once that has changed`, missing, () => checkChange(tools, subject, get)),
    ] : []),
  ];
}

/** The get of the item that an operation changes, if its responses can be compared. */
function findItemGet({ subjects, observations }: Tools, { path, operation: { kind: { suffix }, endpoint: { isSingleton } } }: Subject): Subject | undefined {
  const item = suffix.endsWith('/<name>') && !isSingleton ? path.replace(/\/[^/]*$/, '') : path;
  const get = findSubject(subjects, 'GET', item);
  return get?.operation.tagOf === undefined ? undefined : observations.findGet(item);
}

async function checkTag(tools: Tools, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const [path, parts] = [await makeItem(tools, get), await items.makeParts(get)];
  const tag = readTag(await requests.call(get, path, parts), get);
  const response = await requests.call(get, path, { ...parts, headers: { ...parts.headers, 'if-none-match': tag } });
  if (response.status !== 304) throw makeFailure(response, `304 to If-None-Match: ${tag}`, get);
}

async function checkRefused(tools: Tools, subject: Subject, status: number, headers: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { items, requests, observations } = tools;
  const path = await makeItem(tools, subject);
  const before = await observations.observe(subject, path);
  const parts = await items.makeParts(subject);
  const own = Object.entries({ ...parts.headers, ...headers }).filter((field): field is [string, string] => field[1] !== undefined);
  const response = await requests.call(subject, path, { ...parts, headers: Object.fromEntries(own) });
  if (response.status !== status) throw makeFailure(response, String(status), subject);
  await observations.expectUnchanged(before, subject, path, response);
}

async function checkChange(tools: Tools, subject: Subject, get: Subject): Promise<void> {
  const { items, requests, observations } = tools;
  const path = await makeItem(tools, subject);
  const item = path.split('/').slice(0, get.path.split('/').length).join('/');
  const first = await requests.call(get, item, await items.makeParts(get));
  const parts = await items.makeParts(subject);
  const matching = { ...parts, headers: { ...parts.headers, 'if-match': readTag(first, get) } };
  const changed = await requests.call(subject, path, matching);
  if (changed.status >= 400) throw makeFailure(changed, `success for If-Match: ${matching.headers['if-match']}, the version of ${get.route}`, subject);
  const second = await requests.call(get, item, await items.makeParts(get));
  if (second.headers['etag'] === first.headers['etag']) {
    if (!second.body.equals(first.body)) throw makeFailure(second, `a different ETag than before ${subject.route}, which has changed the item`, get);
    return;
  }
  const before = await observations.observe(subject, path);
  const late = await requests.call(subject, path, matching);
  if (late.status !== 412) throw makeFailure(late, `412 to If-Match: ${matching.headers['if-match']}, which is no longer the version`, subject);
  await observations.expectUnchanged(before, subject, path, late);
}

function readTag(response: ReceivedResponse, get: Subject): string {
  const { etag } = response.headers;
  if (response.status >= 300) throw makeFailure(response, 'success for an item that exists', get);
  if (etag === undefined || !STRONG_TAG.test(etag)) throw makeFailure(response, `a strong ETag, and not ${String(etag)}`, get);
  return etag;
}
