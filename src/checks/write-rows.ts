/**
 * The effects of create, update and delete can be seen by GET. Items have versions, and a change of a different version is rejected (RFC
 * 9110 section 13). A request that is repeated with its `Idempotency-Key` is done once.
 */
import { isSchema } from '../endpoint/json-schema.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import { joinPath } from '../endpoint/routes.ts';
import { KEY_HEADER } from './items.ts';
import { isSuccess, type ReceivedResponse, tryJson } from './kept-document.ts';
import { encode, isTime, makeFailure, pickDifference } from './requests.ts';
import { listAdded, readEntries } from './lists.ts';
import { type AnyRow, called, findGet, findItemGet, foundCalled, Probe, row, steady, type Tools } from './row.ts';
import { findCreate, findSubject, findUpdate, listIntercepted, type Subject, takesJson } from './subject.ts';

// A test must not take long.
const MAX_TRIED = 30;
const MAX_PATCHED = 6;
const MERGE_PATCH = 'application/merge-patch+json';

/** Finds the GET of the item that an operation of a kind changes as a whole. */
function findWhole(tools: Tools, { path, operation: { kind } }: Subject, isKind: boolean): Subject | undefined {
  return isKind && kind.isOfItem && !kind.isNamed ? findGet(tools, path) : undefined;
}

/** Finds the GET of the items that a create makes. */
export function findMadeGet({ subjects, items }: Tools, subject: Subject): Subject | undefined {
  return items.locatesItems(subject) ? findSubject(subjects, 'GET', joinPath(subject.path, '/:id')) : undefined;
}

export const WRITES: readonly AnyRow[] = [
  row<Subject>({
    rules: 'A1 O19 Y3', find: (subject, tools) => findMadeGet(tools, subject),
    what: ({ route, operation: { resultKind } }, get) => {
      const what = resultKind === 'id' ? 'Location leads to an item' : 'Location, or an id in the body, leads to an item';
      return `${route}: ${what}, at ${get.route}`;
    },
    needs: [called, foundCalled],
    verify: async (probe, get) => {
      const { tools: { items, requests }, subject, path } = probe;
      const response = await requests.call(get, await items.locate(await probe.call(), subject, path), await probe.partsOf(get));
      probe.expect(isSuccess(response), response, 'the item that was created', get);
    },
  }),
  row<Subject>({
    rules: 'Y2', find: (subject, tools) => findWhole(tools, subject, subject.operation.kind.body === 'whole'),
    what: ({ route }, get) => `${route}: a repeated one does not change ${get.route}`,
    verify: async (probe, get) => {
      await probe.call();
      const first = await probe.call({}, get);
      const second = await probe.succeed('success, as for the first');
      const after = await probe.call({}, get);
      const sent = tryJson((await probe.partsOf()).body);
      probe.expect(isSameState(first, after, sent), second, `the same ${get.route} as after the first (RFC 9110 section 9.2.2)`);
    },
  }),
  row<Subject>({
    rules: 'A4 Y3',
    find: (subject, tools) => {
      const { operation: { kind }, sample: { body }, makeSample } = subject;
      const canDiffer = takesJson(subject) || typeof body === 'function' || makeSample !== undefined;
      return findWhole(tools, subject, kind.body === 'whole' && canDiffer);
    },
    what: ({ route }, get) => `${route}: one with a different body changes ${get.route}`,
    verify: async (probe, get) => {
      const { subject } = probe;
      const { without } = await changeState(probe, subject, get);
      if (without !== undefined) throw makeFailure(without, `a different ${get.route} than before, since the body is different`, subject);
    },
  }),
  row<Subject>({
    rules: 'A4 Y3', find: (subject, tools) => findWhole(tools, subject, subject.operation.kind.removes),
    what: ({ route, operation: { endpoint: { isSingleton } } }, get) => {
      return `${route}: ${get.route} returns 404 after it${isSingleton ? ', or what is there by default' : ''}`;
    },
    verify: verifyDeleted,
  }),
  row<Subject>({
    rules: 'Y3', find: ({ path, operation: { kind, endpoint: { isSingleton } } }, tools) => {
      const list = kind.removes && kind.isOfItem && !isSingleton ? findGet(tools, path.replace(/\/[^/]*$/, '')) : undefined;
      return list?.operation.kind.readsItems === true && findCreate(tools.subjects, list.path) !== undefined ? list : undefined;
    },
    what: ({ route }, list) => `${route}: ${list.route} does not show the item after it`,
    needs: [called, (_, tools, list) => tools.items.explainUncalled(findCreate(tools.subjects, list.path)!)],
    verify: verifyUnlisted,
  }),
  row<Subject>({
    rules: 'Y10', find: (subject, tools) => (subject.operation.bodyTypes[0] === MERGE_PATCH ? findItemGet(tools, subject) : undefined),
    what: ({ route }, get) => `${route}: ${get.route} has the same as before in what a merge patch does not name`,
    verify: verifyPatch,
  }),
  row({
    rules: 'Y4', find: ({ operation: { kind } }) => !kind.reads && !kind.removes,
    what: ({ route }) => `${route}: the same again -> success, or a rejection that changes nothing`,
    verify: async (probe) => {
      await probe.call();
      const before = await probe.observe();
      const second = await probe.call();
      probe.expect(second.status < 500 || second.status === 503, second, 'success, or a rejection with a status of 4xx');
      if (second.status >= 400) await probe.expectSame(before, second);
    },
  }),
];

/** Whether a change is made before its response. After a 202 it may come later. */
function isDone(response: ReceivedResponse): boolean {
  return isSuccess(response) && response.status !== 202;
}

interface StateChange {
  /** What GET shows of a different body. */
  readonly shown?: ReceivedResponse;
  /** The response to a different body that GET does not show. */
  readonly without?: ReceivedResponse | undefined;
}

/**
 * Calls an update until GET shows something different: with the body of a second sample, if that is a function, and then with the first one
 * with one value changed. A body that the server rejects, by a rule that is in no schema, shows nothing. Nor does a property that GET does
 * not show.
 */
export async function changeState(probe: Probe, update: Subject, get: Subject): Promise<StateChange> {
  const { items, requests } = probe.tools;
  await probe.call({}, update);
  const before = await probe.call({}, get);
  const first = await probe.partsOf(update);
  const second = await items.makeParts(update);
  const isShown = (body: Buffer): boolean => {
    const change = pickDifference(tryJson(first.body), tryJson(body));
    return !isSchema(change) || before.body.includes(`${JSON.stringify(Object.keys(change)[0])}:`);
  };
  const different = [second, ...requests.listDifferent(update, first)].filter(({ body }) => body && first.body?.equals(body) === false);
  const tried = different.filter(({ body }) => isShown(body!));
  let without: ReceivedResponse | undefined;
  for (const { body } of tried.slice(0, MAX_TRIED)) {
    const response = await probe.call({ body }, update);
    if (!isDone(response)) continue;
    const shown = await probe.call({}, get);
    if (!isSameState(shown, before)) return { shown };
    without = response;
  }
  return { without };
}

export function isSameState(one: ReceivedResponse, other: ReceivedResponse, sent?: unknown): boolean {
  return one.status === other.status && formatState(one, sent) === formatState(other, sent);
}

/** A singleton can have a default. It may be as the sample, so something different is put, and deleted, too. */
async function verifyDeleted(probe: Probe, get: Subject): Promise<void> {
  const { tools: { subjects }, subject } = probe;
  const { isSingleton } = subject.operation.endpoint;
  const update = isSingleton ? findUpdate(subjects, subject) : undefined;
  const before = await probe.call({}, get);
  const deleted = await probe.call();
  probe.expect(isSuccess(deleted), deleted, 'success for an item that exists');
  if (!isDone(deleted)) return;
  const response = await probe.call({}, get);
  if (isHidden(response) || (isSingleton && (update === undefined || !isSameState(response, before)))) return;
  const shown = update && (await changeState(probe, update, get)).shown;
  if (shown !== undefined) {
    await probe.call();
    if (!isSameState(await probe.call({}, get), shown)) return;
  }
  throw makeFailure(response, `404 after ${subject.route}`, get);
}

/** A list may leave an item out, or show it as deleted. What it has shown of it before must not be there afterwards. */
async function verifyUnlisted(probe: Probe, list: Subject): Promise<void> {
  const { tools, subject } = probe;
  const create = findCreate(tools.subjects, list.path)!;
  const before = await readEntries(probe, list);
  const created = await probe.write(create);
  if (!before.isList || !isDone(created)) return;
  const path = await tools.items.locate(created, create, probe.path.replace(/\/[^/]*$/, '') || '/');
  const added = listAdded(await readEntries(probe, list), before);
  if (!isDone(await new Probe(tools, subject, path).call())) return;
  const after = await readEntries(probe, list);
  const left = listAdded(after, before).find((entry) => added.includes(entry));
  probe.expect(left === undefined, after.last, `a list without the item that is deleted: ${left}`, list);
}

/**
 * Sets each value to what it is, after a change of a different value: a value that is the default would hide that it is reset. Counts and
 * histories are different after each change, so the patch has not reset them.
 */
async function verifyPatch(probe: Probe, get: Subject): Promise<void> {
  const { tools: { requests }, subject } = probe;
  const readJson = async (): Promise<unknown> => tryJson((await probe.call({}, get)).body);
  const read = async (): Promise<Map<string, string>> => new Map(listLeaves(requests.pickBody(subject, await readJson())));
  const changes = requests.groupChanges(subject, await readJson()).slice(0, MAX_PATCHED).map(([change]) => change);
  for (const [index, change] of [undefined, ...changes, undefined].entries()) {
    if (change !== undefined) await probe.call(encode(change));
    const before = await read();
    const named = new Map(listLeaves(change));
    const others = [...before].filter(([at]) => !named.has(at));
    const [at, json] = others[index % others.length] ?? [];
    if (at === undefined || json === undefined) continue;
    const patch = encode(parsePath(at).reduceRight<unknown>((value, key) => ({ [key]: value }), JSON.parse(json)));
    const response = await probe.call(patch);
    const once = await read();
    const changed = [...before.keys()].filter((each) => each !== at && once.get(each) !== before.get(each));
    if (!isDone(response) || changed.length === 0) continue;
    await probe.call(patch);
    const twice = await read();
    const reset = changed.find((each) => twice.get(each) === once.get(each));
    if (reset === undefined) continue;
    const what = `${parsePath(reset).join('.')} of ${get.route} to stay ${before.get(reset)}`;
    const why = 'since a merge patch does not change what it does not name (RFC 7396)';
    throw makeFailure(response, `${what}, ${why}, not ${once.get(reset)}`, subject);
  }
}

const parsePath = (at: string): string[] => JSON.parse(at) as string[];

/** Lists the values of an object, and of the objects in it, by their paths, both as JSON. Without times, and `null`, which removes. */
function listLeaves(json: unknown, path: readonly string[] = []): [at: string, json: string][] {
  if (isSchema(json)) return Object.entries(json).flatMap(([key, value]) => listLeaves(value, [...path, key]));
  return json === null || isTime(json) ? [] : [[JSON.stringify(path), JSON.stringify(json)]];
}

/**
 * Formats an item as a string, without its times and its version: a store may note each change, even if it changes nothing else. With the
 * body that was sent, without the properties that it does not have: a store may keep a history of changes.
 */
function formatState({ body, headers: { etag } }: ReceivedResponse, sent: unknown): string {
  const json = tryJson(body);
  if (json === undefined) return body.toString('base64');
  return JSON.stringify(pickSent(json, sent), (_, value: unknown) => {
    if (isTime(value)) return 'a time';
    return typeof value !== 'object' && `"${String(value)}"` === etag ? 'its version' : value;
  });
}

/** Picks the properties that a body has. All of them, if the body has none of these. */
function pickSent(shown: unknown, sent: unknown): unknown {
  if (!isSchema(shown) || !isSchema(sent)) return shown;
  const both = Object.keys(shown).filter((key) => Object.hasOwn(sent, key));
  return both.length === 0 ? shown : Object.fromEntries(both.map((key) => [key, pickSent(shown[key], sent[key])]));
}

// A version that no store has.
const OTHER_TAG = '"restpoint-checks-none"';
const STRONG_TAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Finds the GET of the version that a change of an item is compared with. */
export function findTagGet(subject: Subject, tools: Tools): Subject | undefined {
  const get = comparesVersions(subject.operation) && !subject.operation.kind.removes ? findItemGet(tools, subject) : undefined;
  return get?.operation.getTag === undefined ? undefined : get;
}

export const VERSIONS: readonly AnyRow[] = [
  row({
    rules: 'V1 V14 S5',
    find: ({ operation: { kind, getTag, caching } }) => (kind.reads && getTag !== undefined) || caching?.formatTag !== undefined,
    what: ({ route }) => `${route}: an ETag, and 304 to If-None-Match with it`,
    needs: [called, steady],
    verify: async (probe) => {
      const tag = readTag(await probe.call(), probe.subject);
      const response = await probe.call({ headers: { 'if-none-match': tag } });
      probe.expect(response.status === 304, response, `304 to If-None-Match: ${tag}`);
    },
  }),
  row({
    rules: 'V4 V13', find: ({ operation }) => comparesVersions(operation),
    what: ({ route }) => `${route}: If-Match with a different version -> 412`,
    keeps: () => true,
    verify: (probe) => probe.reject(412, { headers: { 'if-match': OTHER_TAG } }),
  }),
  row<Subject>({
    rules: 'V1 V4 V13', find: findTagGet,
    what: ({ route }, get) => `${route}: If-Match with the version of ${get.route} -> success, and 412 once that has changed`,
    verify: async (probe, get) => {
      const first = await probe.call({}, get);
      if (isHidden(first) && !probe.tools.items.isCreated(probe.subject)) return;
      const headers = { 'if-match': readTag(first, get) };
      await probe.succeed(`success for If-Match: ${headers['if-match']}, the version of ${get.route}`, { headers });
      const second = await probe.call({}, get);
      const isChanged = second.headers['etag'] !== first.headers['etag'];
      const expected = `a different ETag than before ${probe.subject.route}, which has changed the item`;
      probe.expect(isChanged || second.body.equals(first.body), second, expected, get);
      if (isChanged) await probe.reject(412, { headers }, `412 to If-Match: ${headers['if-match']}, the version before the change`);
    },
  }),
];

/** Whether a GET finds no item. An operation can be there for what GET does not show: it restores an item of the user's sample. */
export function isHidden({ status }: ReceivedResponse): boolean {
  return status === 404 || status === 410;
}

/** Returns the version of an item. Throws if it has none. */
export function readTag(response: ReceivedResponse, get: Subject): string {
  const { etag } = response.headers;
  if (!isSuccess(response)) throw makeFailure(response, 'success for an item that exists', get);
  if (etag === undefined || !STRONG_TAG.test(etag)) throw makeFailure(response, `a strong ETag, not ${String(etag)}`, get);
  return etag;
}

export function takesKey(subject: Subject): boolean {
  return listIntercepted(subject, 'headers').some((name) => name.toLowerCase() === KEY_HEADER);
}

export const KEYS: readonly AnyRow[] = [
  row({
    rules: 'K1', find: (subject) => takesKey(subject),
    what: ({ route }) => `${route}: a repeated Idempotency-Key -> the first response again`,
    keeps: () => true,
    verify: async (probe) => {
      const headers = { [KEY_HEADER]: crypto.randomUUID() };
      const first = await probe.succeed('success for the sample', { headers });
      await probe.keep(async () => {
        const second = await probe.call({ headers });
        const isSame = second.status === first.status && second.body.equals(first.body);
        probe.expect(isSame, second, `${first.status} with the body of the first response`);
        return probe.expect(second.headers['idempotent-replayed'] === 'true', second, 'Idempotent-Replayed: true');
      });
    },
  }),
  row({
    rules: 'K3', find: (subject) => takesKey(subject) && takesJson(subject),
    what: ({ route }) => `${route}: a different body with the same Idempotency-Key -> 422`,
    keeps: () => true,
    verify: async (probe) => {
      const headers = { [KEY_HEADER]: crypto.randomUUID() };
      await probe.call({ headers });
      const { body = Buffer.alloc(0) } = await probe.partsOf();
      // White space makes it a different body with the same value.
      await probe.reject(422, { headers, body: Buffer.concat([body, Buffer.from(' ')]) });
    },
  }),
];
