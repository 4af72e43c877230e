/** Items have versions: a response has the version of its item, and a change of a different version is rejected (RFC 9110 section 13). */
import { comparesVersions } from '../endpoint/versions.ts';
import { type Check, makeCheck, type Tools, explainNotCalled } from './check.ts';
import { makeItem, explainVaried } from './read-checks.ts';
import { type ReceivedResponse, makeFailure } from './requests.ts';
import { type Subject, findSubject } from './subject.ts';
import { explainUnwritten } from './write-checks.ts';

// A version that no store has.
const OTHER_TAG = '"restpoint-checks-none"';
const STRONG_TAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Makes the checks of endpoints with `version`, and of operations with `etag`. */
export function versionChecks(tools: Tools): Check[] {
  return tools.subjects.flatMap((subject) => {
    const { operation: { kind, getTag, caching } } = subject;
    if ((kind.reads && getTag !== undefined) || caching?.formatTag !== undefined) return [tagCheck(tools, subject)];
    return comparesVersions(subject.operation) ? changeChecks(tools, subject) : [];
  });
}

function tagCheck(tools: Tools, get: Subject): Check {
  const missing = explainNotCalled(tools, get) ?? explainVaried(get);
  return makeCheck(`${get.route}: an ETag, and 304 to If-None-Match with it`, missing, () => checkTag(tools, get));
}

function changeChecks(tools: Tools, subject: Subject): Check[] {
  const { route, operation: { kind, conditions } } = subject;
  const missing = explainUnwritten(tools, subject);
  const claim = tools.observations.makeClaim(subject);
  const get = findItemGet(tools, subject);
  const canRepeat = get !== undefined && !kind.removes;
  const differs = `${route}: If-Match with a different version -> 412${claim}`;
  const lacks = `${route}: no If-Match -> 428${claim}`;
  const changes = `${route}: If-Match with the version of ${get?.route} -> success, and 412 once that has changed`;
  return [
    makeCheck(differs, missing, () => checkRejected(tools, subject, 412, OTHER_TAG)),
    ...(conditions === 'required' ? [makeCheck(lacks, missing, () => checkRejected(tools, subject, 428))] : []),
    ...(canRepeat ? [makeCheck(changes, missing, () => checkChange(tools, subject, get))] : []),
  ];
}

/** The get of the item that an operation changes, if its responses can be compared. */
function findItemGet({ subjects, observations }: Tools, { path, operation }: Subject): Subject | undefined {
  const { kind, endpoint: { isSingleton } } = operation;
  const item = kind.isNamed && !isSingleton ? path.replace(/\/[^/]*$/, '') : path;
  const get = findSubject(subjects, 'GET', item);
  return get?.operation.getTag === undefined ? undefined : observations.findGet(item);
}

async function checkTag(tools: Tools, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const [path, parts] = [await makeItem(tools, get), await items.makeParts(get)];
  const tag = readTag(await requests.call(get, path, parts), get);
  const response = await requests.call(get, path, { ...parts, headers: { ...parts.headers, 'if-none-match': tag } });
  if (response.status !== 304) throw makeFailure(response, `304 to If-None-Match: ${tag}`, get);
}

async function checkRejected(tools: Tools, subject: Subject, status: number, ifMatch?: string): Promise<void> {
  const { items, requests, observations } = tools;
  const path = await makeItem(tools, subject);
  const before = await observations.observe(subject, path);
  const parts = await items.makeParts(subject);
  const { 'if-match': _, ...others } = parts.headers as Readonly<Record<string, string>>;
  const headers = ifMatch === undefined ? others : { ...others, 'if-match': ifMatch };
  const response = await requests.call(subject, path, { ...parts, headers });
  if (response.status !== status) throw makeFailure(response, String(status), subject);
  await observations.expectUnchanged(before, subject, path, response);
}

async function checkChange(tools: Tools, subject: Subject, get: Subject): Promise<void> {
  const { items, requests, observations } = tools;
  const path = await makeItem(tools, subject);
  const item = path.split('/').slice(0, get.path.split('/').length).join('/');
  const first = await requests.call(get, item, await items.makeParts(get));
  const parts = await items.makeParts(subject);
  const tag = readTag(first, get);
  const matching = { ...parts, headers: { ...parts.headers, 'if-match': tag } };
  const changed = await requests.call(subject, path, matching);
  if (changed.status >= 400) throw makeFailure(changed, `success for If-Match: ${tag}, the version of ${get.route}`, subject);
  const second = await requests.call(get, item, await items.makeParts(get));
  if (second.headers['etag'] === first.headers['etag']) {
    if (second.body.equals(first.body)) return;
    throw makeFailure(second, `a different ETag than before ${subject.route}, which has changed the item`, get);
  }
  const before = await observations.observe(subject, path);
  const late = await requests.call(subject, path, matching);
  if (late.status !== 412) throw makeFailure(late, `412 to If-Match: ${tag}, the version before the change`, subject);
  await observations.expectUnchanged(before, subject, path, late);
}

function readTag(response: ReceivedResponse, get: Subject): string {
  const { etag } = response.headers;
  if (response.status >= 300) throw makeFailure(response, 'success for an item that exists', get);
  if (etag === undefined || !STRONG_TAG.test(etag)) throw makeFailure(response, `a strong ETag, not ${String(etag)}`, get);
  return etag;
}
