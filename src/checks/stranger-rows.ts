/**
 * What callers do to whom an item does not belong, by the option `strangers`. An item is rejected. A list, or a singleton of each caller,
 * is not: it must not show what its owner writes, and what such a caller writes must not be what its owner sees.
 */
import { isSuccess, type ReceivedResponse } from './kept-document.ts';
import { listAdded, readEntries } from './lists.ts';
import { type AnyRow, called, findItemGet, type Probe, readItemPath, row, steady, type Tools } from './row.ts';
import { findCreate, findUpdate, type Subject } from './subject.ts';
import { changeState, isSameState } from './write-rows.ts';

type Credentials = Readonly<Record<string, string>>;

// A test must not take long.
const MAX_TRIED = 5;
const REJECTION = '403 or 404 for an item of a different caller';

const isRejection = ({ status }: ReceivedResponse): boolean => status > 401 && status < 500;

/** Finds the credentials of a stranger, for one of the three ways to check them. */
const findStranger = (isOf: (subject: Subject, tools: Tools) => boolean) => (subject: Subject, tools: Tools): Credentials | undefined => {
  const { [subject.operationId]: credentials } = tools.options.strangers;
  return credentials !== undefined && isOf(subject, tools) ? credentials : undefined;
};

/** What writes for the owner what a read may show: the create of its items, or the update of a singleton. */
function findWriter({ subjects }: Tools, subject: Subject): Subject | undefined {
  const at = { ...subject, path: readItemPath(subject) };
  return subject.operation.endpoint.isSingleton ? findUpdate(subjects, at) : findCreate(subjects, at.path);
}

/** Whether it is of one item of the owner's. Without what writes, so is a read below such an item. */
function isOfItem(subject: Subject, tools: Tools): boolean {
  const { kind, endpoint: { isSingleton } } = subject.operation;
  return (kind.isOfItem && !isSingleton) || (kind.reads && findWriter(tools, subject) === undefined && tools.items.isCreated(subject));
}

export const STRANGERS: readonly AnyRow[] = [
  row<Credentials>({
    rules: 'Y9', find: findStranger(isOfItem),
    what: ({ route }) => `${route} by a caller to whom its item does not belong -> a rejection`,
    keeps: () => true,
    verify: async (probe, credentials) => {
      // A cache may have what its owner has read.
      if (probe.subject.operation.kind.reads) await probe.succeed('success for its owner');
      await probe.keep(async () => {
        const { last, isList, counts } = await readEntries(probe, probe.subject, { credentials });
        const isEmpty = isSuccess(last) && isList && counts.size === 0;
        return probe.expect(isRejection(last) || isEmpty, last, REJECTION);
      });
    },
  }),
  row<Credentials>({
    rules: 'Y9', find: findStranger((subject, tools) => subject.operation.kind.reads && !isOfItem(subject, tools)),
    what: ({ route }) => `${route} by a caller to whom an item does not belong -> does not show it`,
    needs: [called, steady, (subject, tools) => {
      const writer = findWriter(tools, subject);
      if (writer !== undefined) return tools.items.explainUncalled(writer);
      return subject.operation.endpoint.isSingleton ? 'no update that puts something there' : 'no create that makes its items';
    }],
    verify: verifyRead,
  }),
  row<Credentials>({
    rules: 'Y9', find: findStranger(({ operation: { kind, endpoint: { isSingleton } } }) => !kind.reads && (!kind.isOfItem || isSingleton)),
    what: ({ route }) => `${route} by a caller to whom an item does not belong -> does not change it`,
    verify: verifyWrite,
  }),
];

/** Reads as the stranger after each of two writes of the owner. The second one must not show the stranger more than the first. */
async function verifyRead(probe: Probe, credentials: Credentials): Promise<void> {
  const { tools, subject } = probe;
  const { operation: { endpoint: { isSingleton } } } = subject;
  const writer = findWriter(tools, subject);
  const get = findItemGet(tools, subject);
  const read = async (write: () => Promise<unknown>) => {
    await write();
    // A cache may have what its owner has read.
    await probe.succeed('success for its owner');
    const entries = await readEntries(probe, subject, { credentials });
    probe.expect(isSuccess(entries.last) || isRejection(entries.last), entries.last, REJECTION);
    return entries;
  };
  const first = await read(() => probe.write(writer!));
  const second = await read(() => (isSingleton && get !== undefined ? changeState(probe, writer!, get) : probe.write(writer!)));
  const [added] = listAdded(second, first);
  probe.expect(added === undefined, second.last, `nothing that a different caller has written, not ${added}`);
}

/** Writes as the stranger, which changes nothing for the owner, and then as the owner, to see that this does. */
async function verifyWrite(probe: Probe, credentials: Credentials): Promise<void> {
  const { tools, subject } = probe;
  const [writer, get] = [findWriter(tools, subject), findItemGet(tools, subject)];
  // What the stranger sends, or a default, would be as the sample.
  if (subject.operation.endpoint.isSingleton && writer !== undefined && get !== undefined) await changeState(probe, writer, get);
  const tried = [{}, ...tools.requests.listDifferent(subject, await probe.partsOf()).slice(0, MAX_TRIED)];
  for (const parts of tried) {
    const before = await probe.observe();
    const response = await probe.call({ ...parts, credentials });
    await probe.expectSame(before, response);
    if (isRejection(response)) return;
    probe.expect(isSuccess(response), response, REJECTION);
    // Two items may need two names.
    await (subject.operation.kind.isOfItem ? probe.call(parts) : probe.write(subject));
    const after = await probe.observe();
    if ([...before].some(([each, seen]) => !isSameState(seen, after.get(each)!))) return;
    // Nothing shows whether it has changed something.
    if (parts === tried.at(-1)) probe.expect(!tools.items.isCreated(subject), response, REJECTION);
  }
}
