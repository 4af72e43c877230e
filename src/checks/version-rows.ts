/** Items have versions: a response has the version of its item, and a change of a different version is rejected (RFC 9110 section 13). */
import { comparesVersions } from '../endpoint/versions.ts';
import type { ReceivedResponse } from './kept-document.ts';
import { findItemGet, type Tools } from './probe.ts';
import { makeFailure } from './requests.ts';
import { type AnyRow, called, only, present, row, steady } from './row.ts';
import type { Subject } from './subject.ts';

// A version that no store has.
const OTHER_TAG = '"restpoint-checks-none"';
const STRONG_TAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Finds the GET of the version that a change of an item is compared with. */
export function findTagGet(subject: Subject, tools: Tools): readonly Subject[] {
  const get = comparesVersions(subject.operation) && !subject.operation.kind.removes ? findItemGet(tools, subject) : undefined;
  return present(get?.operation.getTag === undefined ? undefined : get);
}

export const VERSIONS: readonly AnyRow[] = [
  row({
    rules: 'V1 V14 S5',
    find: ({ operation: { kind, getTag, caching } }) => only((kind.reads && getTag !== undefined) || caching?.formatTag !== undefined),
    what: ({ route }) => `${route}: an ETag, and 304 to If-None-Match with it`,
    needs: [called, steady],
    verify: async (probe) => {
      const tag = readTag(await probe.call(), probe.subject);
      const response = await probe.call({ headers: { 'if-none-match': tag } });
      probe.expect(response.status === 304, response, `304 to If-None-Match: ${tag}`);
    },
  }),
  row({
    rules: 'V4 V13', find: ({ operation }) => only(comparesVersions(operation)),
    what: ({ route }) => `${route}: If-Match with a different version -> 412`,
    keeps: () => true,
    verify: (probe) => probe.reject(412, { headers: { 'if-match': OTHER_TAG } }),
  }),
  row({
    rules: 'V8', find: ({ operation }) => only(comparesVersions(operation) && operation.conditions === 'required'),
    what: ({ route }) => `${route}: no If-Match -> 428`,
    keeps: () => true,
    verify: (probe) => probe.reject(428, { headers: { 'if-match': undefined } }),
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
      if (second.headers['etag'] === first.headers['etag']) {
        const { route } = probe.subject;
        probe.expect(second.body.equals(first.body), second, `a different ETag than before ${route}, which has changed the item`, get);
        return;
      }
      await probe.keep(async () => {
        const late = await probe.call({ headers });
        return probe.expect(late.status === 412, late, `412 to If-Match: ${headers['if-match']}, the version before the change`);
      });
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
  if (response.status >= 300) throw makeFailure(response, 'success for an item that exists', get);
  if (etag === undefined || !STRONG_TAG.test(etag)) throw makeFailure(response, `a strong ETag, not ${String(etag)}`, get);
  return etag;
}
