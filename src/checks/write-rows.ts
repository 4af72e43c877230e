/** The effects of create, update and delete can be seen by GET. */
import { isSchema } from '../endpoint/json-schema.ts';
import { type ReceivedResponse, tryJson } from './kept-document.ts';
import { findGet, type Probe, type Tools } from './probe.ts';
import { makeFailure, TIME } from './requests.ts';
import { type AnyRow, called, foundCalled, present, row } from './row.ts';
import { findSubject, type Subject, takesJson } from './subject.ts';
import { isHidden } from './version-rows.ts';

// A test must not take long.
const MAX_TRIED = 30;

/** Finds the GET of the item that an operation of a kind changes as a whole. */
function findWhole(tools: Tools, { path, operation: { kind } }: Subject, isKind: boolean): readonly Subject[] {
  return present(isKind && kind.isOfItem && !kind.isNamed ? findGet(tools, path) : undefined);
}

/** Finds the GET of the items that a create makes. */
export function findMadeGet({ subjects, items }: Tools, subject: Subject): readonly Subject[] {
  return present(items.locatesItems(subject) ? findSubject(subjects, 'GET', `${subject.path === '/' ? '' : subject.path}/:id`) : undefined);
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
      if (response.status >= 300) throw makeFailure(response, 'the item that was created', get);
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
      const sent = tryJson((await probe.partsOf()).body)?.json;
      const isSame = first.status === after.status && formatState(first, sent) === formatState(after, sent);
      probe.expect(isSame, second, `the same ${get.route} as after the first (RFC 9110 section 9.2.2)`);
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
    verify: verifyDifferent,
  }),
  row<Subject>({
    rules: 'A4 Y3', find: (subject, tools) => findWhole(tools, subject, subject.operation.kind.removes),
    what: ({ route }, get) => `${route}: ${get.route} returns 404 after it`,
    verify: async (probe, get) => {
      const deleted = await probe.call();
      probe.expect(deleted.status < 300, deleted, 'success for an item that exists');
      if (isLater(deleted)) return;
      const response = await probe.call({}, get);
      probe.expect(isHidden(response), response, `404 after ${probe.subject.route}`, get);
    },
  }),
];

/** Whether a change may come later than its response. */
export function isLater({ status }: ReceivedResponse): boolean {
  return status === 202;
}

/** A body that the server rejects, by a rule that is in no schema, shows nothing. Nor does a property that GET does not show. */
async function verifyDifferent(probe: Probe, get: Subject): Promise<void> {
  await probe.call();
  const before = await probe.call({}, get);
  let without: ReceivedResponse | undefined;
  let tried = 0;
  for await (const { body, key } of differentBodies(probe, (await probe.partsOf()).body)) {
    if (key !== undefined && !before.body.includes(`${JSON.stringify(key)}:`)) continue;
    const response = await probe.call({ body });
    if (response.status < 300 && !isLater(response)) {
      const after = await probe.call({}, get);
      if (after.status !== before.status || formatState(after) !== formatState(before)) return;
      without = response;
    }
    tried += 1;
    if (tried === MAX_TRIED) break;
  }
  if (without !== undefined) probe.expect(false, without, `a different ${get.route} than before, since the body is different`);
}

/** The body of a second sample, if that is a function; then the first one with one value changed. */
async function* differentBodies(
  { tools: { items, requests }, subject }: Probe, first: Uint8Array | undefined,
): AsyncGenerator<{ readonly body: Uint8Array; readonly key?: string | undefined }> {
  const { body: second } = await items.makeParts(subject);
  if (first === undefined || second === undefined) return;
  if (!takesJson(subject)) {
    if (!Buffer.from(second).equals(first)) yield { body: second };
    return;
  }
  const [one, other] = [first, second].map((each) => tryJson(each)?.json);
  const differs = (name: string): boolean => JSON.stringify(Object(one)[name]) !== JSON.stringify(Object(other)[name]);
  const changedKey = Object.keys(Object(other) as object).find(differs);
  if (changedKey !== undefined) yield { body: second, key: changedKey };
  for (const { body, key } of requests.makeDifferentBodies(subject, one)) yield { body: Buffer.from(JSON.stringify(body)), key };
}

/**
 * Formats an item as a string, without its times and its version: a store may note each change, even if it changes nothing else. With the
 * body that was sent, without the properties that it does not have: a store may keep a history of changes.
 */
function formatState({ body, headers: { etag } }: ReceivedResponse, sent?: unknown): string {
  const parsed = tryJson(body);
  if (parsed === undefined) return body.toString('base64');
  return JSON.stringify(pickSent(parsed.json, sent), (_, value: unknown) => {
    if (typeof value === 'string' && TIME.test(value)) return 'a time';
    return typeof value !== 'object' && `"${String(value)}"` === etag ? 'its version' : value;
  });
}

/** Picks the properties that a body has. All of them, if the body has none of these. */
function pickSent(shown: unknown, sent: unknown): unknown {
  if (!isSchema(shown) || !isSchema(sent)) return shown;
  const both = Object.keys(shown).filter((key) => Object.hasOwn(sent, key));
  return both.length === 0 ? shown : Object.fromEntries(both.map((key) => [key, pickSent(shown[key], sent[key])]));
}
