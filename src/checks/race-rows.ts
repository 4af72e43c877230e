/**
 * Requests that come at once. A store that reads, waits and writes loses one of two changes, or makes one twice. Each check sends two
 * requests one after the other, in both orders, and then at several distances, each on a new item. What is the same in both orders must be
 * so at once.
 */
import { performance, setImmediate, setTimeout } from '../util/timers.ts';
import { isSchema } from '../endpoint/json-schema.ts';
import { isJsonType } from '../http/media-type.ts';
import { KEY_HEADER } from './items.ts';
import { type ReceivedResponse, tryJson } from './kept-document.ts';
import { encode, isTime, type RequestParts, TOO_MANY } from './requests.ts';
import { type AnyRow, called, type CheckRow, findItemGet, foundCalled, Probe, row } from './row.ts';
import { type Subject } from './subject.ts';
import { findMadeGet, findTagGet, isHidden, readTag, takesKey } from './write-rows.ts';

type SendOne = () => Promise<ReceivedResponse>;
/** Makes two requests to an item. `waitMs` is the time between them, if they come at once. */
type MakePair = (own: Probe, waitMs?: number) => readonly [SendOne, SendOne] | Promise<readonly [SendOne, SendOne]>;

// A test must not take long.
const MAX_TRIED = 20;
/** When the second request begins, in parts of the time that one takes alone. The first round also makes a pool open its connections. */
const SHARES = [0, 0.5, 0.25, 0.75, 0] as const;
const UNAVAILABLE = 503;

const isSuccess = ({ status }: ReceivedResponse): boolean => status < 400;
const countSuccesses = (responses: readonly ReceivedResponse[]): number => responses.filter(isSuccess).length;
const readPattern = (responses: readonly ReceivedResponse[]): string => responses.map(isSuccess).join();

/**
 * Waits for a time, and at least for the next turn of the event loop: requests of two connections never share one, so what an operation
 * does without waiting is not interrupted. A timer takes a millisecond or more.
 */
async function pass(ms: number): Promise<void> {
  const end = performance.now() + ms;
  if (ms > 2) await new Promise((resolve) => setTimeout(resolve, ms));
  do await new Promise((resolve) => setImmediate(resolve));
  while (performance.now() < end);
}

/** Waits for all requests. Throws for a response that none may get at any time: a 500. */
async function sendAll(probe: Probe, sends: readonly SendOne[]): Promise<ReceivedResponse[]> {
  const all = await Promise.allSettled(sends.map((send) => send()));
  return all.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    const { status } = each.value;
    return probe.expect(status < 500 || status === UNAVAILABLE, each.value, 'no failure of the server, for requests at once');
  });
}

/** What GET shows: statuses, tags, values and the lengths of lists, by their places. Numbers may be strings of digits. */
type State = ReadonlyMap<string, string | number>;

type IsObserved = (get: Subject) => boolean;
/** Whether a GET shows one of these: their places end with its route. */
const shows = (changes: State): IsObserved => ({ route }) => [...changes.keys()].some((at) => at.endsWith(route));

async function readState(own: Probe, isObserved?: IsObserved): Promise<State> {
  const state = new Map<string, string | number>();
  const add = (json: unknown, at: string): void => {
    if (Array.isArray(json)) state.set(`the length of ${at}`, json.length);
    else if (isSchema(json)) for (const [key, value] of Object.entries(json)) add(value, `${key} of ${at}`);
    else if (!isTime(json)) state.set(at, /^-?\d+(?:\.\d+)?$/.test(String(json)) ? Number(json) : JSON.stringify(json));
  };
  for (const [{ route }, { status, body, headers: { etag = '' } }] of await own.observe(isObserved)) {
    state.set(`the status of ${route}`, String(status)).set(`the ETag of ${route}`, etag);
    if (status < 300) add(tryJson(body) ?? body.toString('base64'), route);
  }
  return state;
}

/** Lists what has changed: by how much, if that is a number. */
function listChanges(before: State, after: State): State {
  return new Map([...after].filter(([at, value]) => before.get(at) !== value).map(([at, value]) => {
    const was = before.get(at);
    // Rounded, since binary fractions lose a little.
    return [at, typeof value === 'number' && typeof was === 'number' ? Math.round(1e6 * (value - was)) / 1e6 : value];
  }));
}

function formatChange(value: string | number | undefined): string {
  return typeof value === 'number' ? `a change by ${value}` : value ?? 'no change';
}

/** Sends two requests to an item, one after the other. The responses are in the order of the pair. `ms` is the time of the second one. */
async function sendInSequence(own: Probe, makePair: MakePair, isReversed: boolean, isObserved?: IsObserved) {
  const pair = await makePair(own);
  const before = await readState(own, isObserved);
  const first = await sendAll(own, [pair[isReversed ? 1 : 0]]);
  const begun = performance.now();
  const second = await sendAll(own, [pair[isReversed ? 0 : 1]]);
  const ms = performance.now() - begun;
  const responses = isReversed ? [...second, ...first] : [...first, ...second];
  return { ms, responses, changes: listChanges(before, await readState(own, isObserved)) };
}

/** A check of two requests that come at once. */
interface RaceRow<Found> extends Omit<CheckRow<Found>, 'keeps' | 'verify'> {
  /** `undefined` if there is nothing that two requests could do wrong. */
  readonly plan: (probe: Probe, found: Found) => MakePair | undefined | Promise<MakePair | undefined>;
  /** Whether it matters which of the two is first. Then it is the second one in each second round. */
  readonly isDirected?: boolean;
  /** Whether two with 0 ms between them begin in one turn of the event loop. */
  readonly isNear?: boolean;
  /** Throws for responses that are wrong in any order. */
  readonly verifyAll?: (own: Probe, responses: readonly ReceivedResponse[]) => Promise<void>;
}

function race<Found>({ plan, isDirected = false, isNear = false, verifyAll, ...others }: RaceRow<Found>): AnyRow {
  return row<Found>({ ...others, verify: async (probe, found) => {
    const makePair = await plan(probe, found);
    if (makePair === undefined) return;
    const claims = await measureSequences(probe, makePair);
    const canBeWrong = claims.most === 1 || (claims.most === 2 && (claims.changes.size > 0 || verifyAll !== undefined));
    if (!canBeWrong) return;
    for (const [round, share] of SHARES.entries()) {
      const waitMs = Math.round(1000 * share * claims.ms) / 1000;
      const own = await Probe.begin(probe.tools, probe.subject);
      try {
        const both = await compareAtOnce(own, makePair, claims, { waitMs, isNear, isReversed: isDirected && round % 2 === 1 });
        await verifyAll?.(own, both);
      } catch (error) {
        throw new Error(`${(error as Error).message}, with ${waitMs} ms between two requests`, { cause: error });
      }
    }
  } });
}

/** What two requests do one after the other, in whichever order: what they must do at once. */
interface Claims {
  /** How many of the two succeed at most. */
  readonly most: number;
  /** Which of the two succeed, in each order. */
  readonly patterns: readonly string[];
  /** What GET shows after them, in both orders, that it did not show before. */
  readonly changes: State;
  /** The time that one of them takes. */
  readonly ms: number;
}

async function measureSequences(probe: Probe, makePair: MakePair): Promise<Claims> {
  const forth = await sendInSequence(probe, makePair, false);
  const back = await sendInSequence(await Probe.begin(probe.tools, probe.subject), makePair, true, shows(forth.changes));
  const orders = [forth.responses, back.responses];
  return {
    most: Math.max(...orders.map(countSuccesses)),
    patterns: orders.map(readPattern),
    changes: new Map([...forth.changes].filter(([at, value]) => back.changes.get(at) === value)),
    ms: Math.min(forth.ms, back.ms),
  };
}

/** How two requests are sent at once. */
interface Distance {
  readonly waitMs: number;
  readonly isNear: boolean;
  /** Whether the second one of the pair is sent first. */
  readonly isReversed: boolean;
}

/** Sends two requests to an item at once. Throws for an outcome that they have in neither order, one after the other. */
async function compareAtOnce(own: Probe, makePair: MakePair, claims: Claims, distance: Distance): Promise<ReceivedResponse[]> {
  const { waitMs, isNear, isReversed } = distance;
  const isClaimed = shows(claims.changes);
  const delay = (send: SendOne): SendOne => (isNear && waitMs === 0 ? send : async () => pass(waitMs).then(send));
  const [one, other] = await makePair(own, waitMs);
  const before = await readState(own, isClaimed);
  const both = await sendAll(own, isReversed ? [delay(one), other] : [one, delay(other)]);
  const [, last] = both as [ReceivedResponse, ReceivedResponse];
  const seen = `not ${both.map(({ status }) => status).join(' and ')}`;
  own.expect(countSuccesses(both) <= claims.most, last, `${claims.most} of two to succeed, as one after the other, ${seen}`);
  // A store may reject one while the other runs. Then nothing is known of its changes.
  if (!claims.patterns.includes(readPattern(both))) return both;
  const changes = listChanges(before, await readState(own, isClaimed));
  for (const [at, value] of claims.changes) {
    if (changes.get(at) === value) continue;
    // It may depend on what was done since the claims were measured.
    const again = await sendInSequence(await Probe.begin(own.tools, own.subject), makePair, isReversed, isClaimed);
    const change = `${formatChange(value)}, as by two requests one after the other, not ${formatChange(changes.get(at))}`;
    own.expect(again.changes.get(at) !== value, last, `${at}: ${change}`);
  }
  return both;
}

/** Sends a request until the first one with its key has ended. */
async function repeatUntilDone(own: Probe, key: RequestParts): Promise<ReceivedResponse> {
  let response = await own.call(key);
  for (let waitMs = 1; [409, UNAVAILABLE].includes(response.status) && waitMs <= own.tools.options.timeoutMs; waitMs *= 2) {
    await pass(waitMs);
    response = await own.call(key);
  }
  return response;
}

/** A race of requests with one key. `begin` is what comes before them. */
function raceForKey(what: string, begin: (own: Probe, key: RequestParts, waitMs: number) => Promise<void>): AnyRow {
  return race({
    rules: 'K1 K4 K6 Y7',
    // The document has the header by `idempotent`, or by `headers` of the operation.
    find: ({ described: { parameters = [] } }) => {
      return parameters.some(({ in: where, name }) => where === 'header' && name.toLowerCase() === KEY_HEADER);
    },
    what: ({ route }) => `${route}: ${what} -> one effect`,
    plan: () => (own, waitMs) => {
      const key = { headers: { [KEY_HEADER]: crypto.randomUUID() } };
      const send: SendOne = () => repeatUntilDone(own, key);
      return [waitMs === undefined ? send : async () => begin(own, key, waitMs).then(send), send];
    },
    verifyAll: async (own, both) => {
      for (const each of both) own.expect(isSuccess(each), each, 'success for the sample');
      if (!takesKey(own.subject)) return;
      const [one, other] = both as [ReceivedResponse, ReceivedResponse];
      own.expect(one.body.equals(other.body), other, `the response that the other request with its key gets: ${one.body.toString()}`);
      const made = both.filter(({ headers }) => headers['idempotent-replayed'] !== 'true').length;
      own.expect(made <= 1, other, `one response without Idempotent-Replayed, not ${made}`);
    },
  });
}

export const RACES: readonly AnyRow[] = [
  race<Subject>({
    rules: 'V9 Y5', find: findTagGet,
    what: ({ route }) => `${route}: two at once with one If-Match -> one success`,
    // The operation itself must compare versions, even if it waits only for promises, or for a database in the process.
    isNear: true,
    plan: async (probe, get) => {
      const { tools: { requests }, subject } = probe;
      if (isHidden(await probe.call({}, get))) return undefined;
      const change = await findChange(probe, [{}, ...requests.listDifferent(subject, await probe.partsOf())]);
      return change && (async (own) => {
        const headers = { 'if-match': readTag(await own.call({}, get), get) };
        const send: SendOne = () => own.call({ ...change, headers });
        return [send, send];
      });
    },
  }),
  raceForKey('two at once with one Idempotency-Key', async () => {}),
  raceForKey('again with its Idempotency-Key, after the client has left', async (own, key, waitMs) => {
    const left = new AbortController();
    const lost = own.call({ ...key, leaving: left.signal }).catch(() => {});
    await pass(waitMs);
    left.abort();
    await lost;
  }),
  race({
    rules: 'A1 A4 A5 Y6', find: ({ operation: { kind } }) => !kind.reads && kind.body !== 'whole',
    what: ({ route }) => `${route}: two at once -> as one after the other`,
    plan: () => (own) => [() => own.call(), () => own.call()],
    verifyAll: async (own, both) => {
      const { tools: { items, requests }, subject, path } = own;
      const paths: string[] = [];
      const get = findMadeGet(own.tools, subject);
      for (const each of get === undefined || items.explainUncalled(get) !== undefined ? [] : both.filter(isSuccess)) {
        const at = await items.locate(each, subject, path);
        own.expect(!paths.includes(at), each, `an item of its own, not ${at} again`);
        paths.push(at);
        const got = await requests.call(get!, at, await own.partsOf(get));
        own.expect(isSuccess(got), got, 'the item that was created at the same time as one more', get);
      }
    },
  }),
  race<Subject>({
    rules: 'Y6',
    find: (subject, tools) => {
      const { kind, bodyTypes: [type = ''] } = subject.operation;
      return kind.body === 'change' && isJsonType(type) ? findItemGet(tools, subject) : undefined;
    },
    what: ({ route }, get) => `${route}: two at once with different properties -> ${get.route} has both`,
    plan: async (probe, get) => {
      const [one, other] = await findTwoChanges(probe, get);
      return one && other && ((own) => [() => own.call(one), () => own.call(other)]);
    },
  }),
  race<Subject>({
    rules: 'A4 Y6',
    find: ({ path, operation }, { subjects }) => (operation.kind.removes ? subjects.filter((each) => {
      return each.path === path && /^(?:whole|change)$/.test(each.operation.kind.body);
    }) : []),
    what: ({ route }, change) => `${route}: at once with ${change.route} -> as one after the other`,
    needs: [called, foundCalled],
    isDirected: true,
    plan: (_, change) => (own) => [() => own.call({}, change), () => own.call()],
  }),
];

/** The last checks of a server: after a deadlock, it may not respond any more. */
export const CROWDS: readonly AnyRow[] = [
  row({
    rules: 'Y8', find: (_, { options: { concurrency } }) => concurrency > 1,
    what: ({ route }) => `${route}: many at once -> each gets a response, and a later one too`,
    verify: async (probe) => {
      const { tools, subject } = probe;
      const { concurrency } = tools.options;
      // The server asks for the version of an item while the operation may hold a connection.
      const parts = subject.operation.conditions === 'none' ? {} : { headers: { 'if-match': '*' } };
      const alone = await probe.call(parts);
      // What an operation removes, or a sample that is a function makes, can be called once.
      const isOwn = subject.makeSample !== undefined;
      const renew = async (): Promise<Probe> => (isOwn || subject.operation.kind.removes ? Probe.begin(tools, subject) : probe);
      const { path } = await renew();
      const crowd: Probe[] = [];
      while (crowd.length < concurrency) {
        crowd.push(isOwn ? await Probe.begin(tools, subject) : new Probe(tools, subject, path, await tools.items.makeParts(subject)));
      }
      const all = await sendAll(probe, crowd.map((own) => () => own.call(parts)));
      const isServed = all.some(({ status }) => status !== UNAVAILABLE);
      probe.expect(isServed, all[0]!, `a success of ${concurrency} requests at once, as of one alone`);
      const isWrong = ({ status }: ReceivedResponse): boolean => status >= 400 && status !== UNAVAILABLE && status !== TOO_MANY;
      const wrong = subject.operation.kind.reads && isSuccess(alone) ? all.find(isWrong) : undefined;
      probe.expect(wrong === undefined, wrong ?? alone, `a success of each of ${concurrency} requests at once, as of one alone`);
      const later = await (await renew()).call(parts);
      probe.expect(later.status < 500, later, `${alone.status}, as before ${concurrency} requests at once`);
    },
  }),
];

/** Finds a request that changes what GET shows, of a new item. */
async function findChange({ tools, subject }: Probe, all: readonly RequestParts[]): Promise<RequestParts | undefined> {
  for (const parts of all.slice(0, MAX_TRIED)) {
    const own = await Probe.begin(tools, subject);
    const before = await readState(own);
    if (isSuccess(await own.call(parts)) && listChanges(before, await readState(own)).size > 0) return parts;
  }
  return undefined;
}

/** Finds two requests that each change one value, which are not the same. */
async function findTwoChanges(probe: Probe, get: Subject): Promise<RequestParts[]> {
  const { tools: { requests }, subject } = probe;
  const shown = requests.pickBody(subject, tryJson((await probe.call({}, get)).body));
  const sample = { ...shown, ...Object(tryJson((await probe.partsOf()).body)) as object };
  const found: RequestParts[] = [];
  for (const changes of requests.groupChanges(subject, sample)) {
    const change = found.length < 2 ? await findChange(probe, changes.map(encode)) : undefined;
    if (change !== undefined) found.push(change);
  }
  return found;
}
