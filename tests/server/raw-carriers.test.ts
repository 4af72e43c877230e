/** L8 L11: What code of the user does with `request.raw`, at each moment of a request: the outcome is the same over a socket and by `server.fetch`. */
import { Agent, request as sendOverSocket, type IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished, pipeline } from 'node:stream/promises';
import { ApiServer, bytes, defineEndpoint, type ApiRequest, type Interceptor } from '../../src/index.ts';
import { form, ndjson } from '../../src/formats/index.ts';
import { assert, suite, waitTwoTurns, withTimeout } from '../support/facts.ts';

type Act = (raw: IncomingMessage) => unknown;

const ignore = (): void => {};

/** After such a loop Node destroys the request. */
async function readFirst(raw: IncomingMessage): Promise<void> {
  for await (const _ of raw) break;
}

async function readOne(raw: IncomingMessage): Promise<unknown> {
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) return chunk.length > 0;
  return false;
}

const ACTS: readonly (readonly [what: string, act: Act])[] = [
  ['its headers', (raw) => raw.headers],
  ["on('end')", (raw) => raw.on('end', ignore)],
  ['pause()', (raw) => raw.pause()],
  ['resume()', (raw) => raw.resume()],
  ['resume(), and then pause()', (raw) => raw.resume().pause()],
  ['read()', (raw) => raw.read()],
  ['read(1)', (raw) => raw.read(1)],
  ["on('data')", (raw) => raw.on('data', ignore)],
  ["on('data'), and off again", (raw) => raw.on('data', ignore).off('data', ignore)],
  ["on('data'), and pause()", (raw) => raw.on('data', ignore).pause()],
  ["on('readable')", (raw) => raw.on('readable', ignore)],
  ["on('readable') that reads", (raw) => raw.on('readable', () => raw.read())],
  ['setEncoding()', (raw) => raw.setEncoding('utf8')],
  ['pipe()', (raw) => raw.pipe(new PassThrough().resume())],
  ['pipe(), and unpipe()', (raw) => void raw.unpipe(raw.pipe(new PassThrough().resume()))],
  ['a pipeline that fails', (raw) => pipeline(raw, async () => { throw new Error('fails'); }).catch(ignore)],
  ['a loop over it', async (raw) => (await buffer(raw).catch(ignore))?.length],
  ['a loop that does not destroy it', readOne],
  ['a web stream of it', (raw) => Readable.toWeb(raw).getReader().read().then(({ value }) => value?.length > 0, ignore)],
  ["once('data')", (raw) => raw.once('data', ignore)],
  ["on('close')", (raw) => raw.on('close', ignore)],
  ['finished()', (raw) => void finished(raw).catch(ignore)],
  ['removeAllListeners()', (raw) => raw.removeAllListeners('data')],
  ['its socket, destroyed', (raw) => raw.socket?.destroy()],
  ['a loop that breaks off', (raw) => readFirst(raw).catch(ignore)],
  ['destroy()', (raw) => raw.destroy()],
  ['destroy(error)', (raw) => raw.destroy(new Error('enough'))],
];

const MOMENTS = ['middleware', 'onRequest', 'context', 'around', 'run', 'the first chunk', 'the input', 'the response'] as const;
type Moment = (typeof MOMENTS)[number];

const INPUTS = ['none', 'JSON', 'bytes', 'ndjson', 'form'] as const;
type InputName = (typeof INPUTS)[number];

const TYPES = { none: 'application/json', JSON: 'application/json', bytes: 'image/png', ndjson: 'application/x-ndjson', form: 'application/x-www-form-urlencoded' };

const BODIES: readonly (readonly [what: string, body: (input: InputName) => readonly string[]])[] = [
  ['small', (input) => [makeBody(input, 1)]],
  ['in pieces', (input) => makeBody(input, 1).split(/(?<=^.)/s)],
  ['large', (input) => [makeBody(input, 200_000)]],
];

function makeBody(input: InputName, length: number): string {
  const text = 'x'.repeat(length);
  if (input === 'form') return `a=${text}`;
  // A line must not be longer than 64 KiB.
  if (input === 'ndjson') return `"${text.slice(0, 50_000)}"\n`.repeat(4);
  return input === 'bytes' ? `"${text}"` : `"${text}"\n`;
}

interface Case {
  readonly what: string;
  readonly path: string;
  readonly act: Act;
  readonly moment: Moment;
  readonly input: InputName;
  readonly pieces: readonly string[];
}

/** What depends on when a piece of a body arrives, and in how many pieces: a body in memory is one piece. */
function dependsOnPieces(what: string, moment: Moment, size: string): boolean {
  return (moment === 'the first chunk' && size === 'large') || (what.startsWith('read') && size === 'in pieces');
}

const CASES: Case[] = MOMENTS.flatMap((moment) => INPUTS.flatMap((input) => BODIES.flatMap(([size, body]) => ACTS.flatMap(([what, act]) => {
  return dependsOnPieces(what, moment, size) ? [] : { what: `${what} at ${moment}, ${input}, ${size}`, act, moment, input, pieces: body(input) };
})))).map((each, index) => ({ ...each, path: `/case${index}` }));

const any = (value: any): any => value;

async function use(input: unknown, name: InputName, onFirst: () => unknown): Promise<unknown> {
  if (name !== 'bytes' && name !== 'ndjson') return typeof input;
  let count = 0;
  let length = 0;
  for await (const each of input as AsyncIterable<string | Uint8Array>) {
    length += each.length;
    if ((count += 1) === 1) await onFirst();
  }
  return length;
}

function declare(server: ApiServer, { path, act, moment, input }: Case): void {
  let found: unknown;
  const at = async (each: Moment, request: { readonly raw: IncomingMessage }): Promise<void> => {
    if (each === moment) found = await act(request.raw);
  };
  const interceptor: Interceptor = {
    onRequest: (request) => at('onRequest', request) as Promise<undefined>,
    around: async (call, run) => {
      await at('around', call.request as ApiRequest);
      return run({});
    },
  };
  const format = { none: undefined, JSON: any, bytes: bytes(), ndjson: ndjson(any), form: form(any) }[input];
  const run = async (given: unknown, request: ApiRequest): Promise<unknown> => {
    await at('run', request);
    const used = await use(given, input, () => at('the first chunk', request));
    await at('the input', request);
    return typeof found !== 'object' ? [used, found] : used;
  };
  const operation = input === 'none' ? { use: interceptor, run: (request: ApiRequest) => run(undefined, request) } : { use: interceptor, input: format, run };
  server.registerEndpoint(path, defineEndpoint({
    context: async (request: { readonly raw: IncomingMessage }) => (await at('context', request), true),
    custom: { go: operation },
  } as any));
}

/** The outcome of a case, in one line. */
type SendCase = (sent: Case) => Promise<string>;

const headers = (input: InputName, pieces: readonly string[]): Record<string, string> => {
  return { 'content-type': TYPES[input], ...(pieces.length === 1 ? { 'content-length': String(pieces[0]?.length) } : {}) };
};

const overSocket = (port: number, agent: Agent): SendCase => async ({ path, input, pieces }) => new Promise((resolve) => {
  const request = sendOverSocket({ port, host: '127.0.0.1', path: `${path}/go`, method: 'POST', agent, headers: headers(input, pieces) }, async (response) => {
    try {
      resolve(describe(response.statusCode, response.rawHeaders, String(await buffer(response))));
    } catch {
      resolve('broken off');
    }
  });
  request.on('error', () => resolve('broken off'));
  void (async () => {
    for (const piece of pieces) {
      request.write(piece);
      await waitTwoTurns();
    }
    request.end();
  })();
});

const byFetch = (server: ApiServer): SendCase => async ({ path, input, pieces }) => {
  const body = pieces.length === 1 ? pieces[0] : ReadableStream.from((async function* () {
    for (const piece of pieces) {
      yield Buffer.from(piece);
      await waitTwoTurns();
    }
  })());
  try {
    const response = await server.fetch(`${path}/go`, { method: 'POST', body, duplex: 'half', headers: headers(input, pieces) } as RequestInit);
    return describe(response.status, [...response.headers].flat(), await response.text());
  } catch {
    return 'broken off';
  }
};

const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'date'];

function describe(status: number | undefined, raw: readonly string[], body: string): string {
  const names = raw.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()).filter((name) => !OF_CONNECTION.includes(name)).sort();
  return `${status} ${names.join()} ${body}`;
}

type Outcomes = ReadonlyMap<string, string>;

async function runAll(operationMs: number, cases: readonly Case[], start: (server: ApiServer) => Promise<SendCase>): Promise<Outcomes> {
  const logged = new Map<string, string[]>();
  const error = ({ message }: Error): void => {
    const path = /\/case\d+/.exec(message)?.[0] ?? '';
    logged.set(path, [...(logged.get(path) ?? []), message]);
  };
  const server = new ApiServer('', { logger: { info: ignore, error }, stopGraceMs: 50, limits: { operationMs, requestMs: 3000, headersMs: 3000 } });
  const ofPath = new Map(cases.map((each) => [each.path, each]));
  const act = (request: IncomingMessage): unknown => ofPath.get((request.url ?? '').replace('/go', ''))?.act(request);
  if (cases[0]?.moment === 'middleware') server.use(async (request, _response, next) => (await act(request), next()));
  if (cases[0]?.moment === 'the response') {
    server.use((request, response, next) => {
      response.on('close', () => void (async () => act(request))().catch(ignore));
      next();
    });
  }
  for (const each of cases) declare(server, each);
  const send = await start(server);
  const outcomes = new Map<string, string>();
  const queue = [...cases];
  await Promise.all(Array.from({ length: 20 }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) outcomes.set(next.path, await withTimeout(send(next), next.what));
  }));
  await waitTwoTurns();
  await server.stop();
  return new Map(Array.from(outcomes, ([path, outcome]) => [path, [outcome, ...(logged.get(path) ?? [])].join('\n')]));
}

const bySocket = (operationMs: number, cases: readonly Case[]): Promise<Outcomes> => runAll(operationMs, cases, async (server) => {
  const started = await server.start('127.0.0.1:0');
  assert.ok(started.ok);
  return overSocket(Number(new URL(started.url).port), new Agent());
});
const inMemory = (operationMs: number, cases: readonly Case[]): Promise<Outcomes> => runAll(operationMs, cases, async (server) => byFetch(server));

// A case that does not end by itself is ended by this limit. On a busy machine others are too, and are tried again.
const OPERATION_MS = [300, 3000, 30_000];

const carriers = suite('request.raw, by both carriers');
for (const moment of MOMENTS) {
  carriers(`at ${moment}: what is done with it has the same outcome`, async () => {
    let cases = CASES.filter((each) => each.moment === moment);
    let different: [string, string | undefined, string | undefined][] = [];
    for (const operationMs of OPERATION_MS) {
      const [one, other] = await Promise.all([bySocket(operationMs, cases), inMemory(operationMs, cases)]);
      cases = cases.filter(({ path }) => one.get(path) !== other.get(path));
      different = cases.map(({ what, path }) => [what, one.get(path), other.get(path)]);
      if (cases.length === 0) break;
    }
    assert.equal(different, []);
  });
}
