/** When a response is written as one string: not if somebody has changed it, or Node's own response works in a different way. */
import { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { mock } from 'node:test';
import type { endWhole as EndWhole, isPlain as IsPlain } from '../../../src/server/exchange/node/internals/whole-response.ts';
import { assert, suite } from '../../support/facts.ts';

interface Module {
  readonly endWhole: typeof EndWhole;
  readonly isPlain: typeof IsPlain;
}

let loads = 0;

/** Loads the module anew: it looks at Node once. */
async function load(): Promise<Module> {
  loads += 1;
  const url = new URL(`../../../src/server/exchange/node/internals/whole-response.js?${loads}`, import.meta.url);
  return (await import(url.href)) as Module;
}

interface NodeResponse extends ServerResponse {
  readonly outputData: readonly { readonly data: string }[];
}

/** A response of Node on a connection that stays open. */
function makeResponse(version = 1, method = 'GET', Response: new (request: IncomingMessage) => ServerResponse = ServerResponse): NodeResponse {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, httpVersionMajor: 1, httpVersionMinor: version });
  return Object.assign(new Response(request), { shouldKeepAlive: version === 1, _keepAliveTimeout: 5000 }) as unknown as NodeResponse;
}

function joinOutput({ outputData }: NodeResponse): string {
  return outputData.map(({ data }) => data).join('');
}

const plain = suite('a response is written as one string');
for (const { what, make = makeResponse, change = () => {}, expected = false } of [
  { what: 'if nobody has changed it', expected: true },
  { what: 'for HEAD', make: () => makeResponse(1, 'HEAD'), expected: true },
  { what: 'without limits of the connection', change: () => ({ _maxRequestsPerSocket: null }), expected: true },
  { what: 'not for HTTP/1.0', make: () => makeResponse(0) },
  { what: 'not if the connection closes', change: () => ({ shouldKeepAlive: false }) },
  { what: 'not without a time limit of idle connections', change: () => ({ _keepAliveTimeout: 0 }) },
  { what: 'not with a maximum of requests', change: () => ({ _maxRequestsPerSocket: 9 }) },
  { what: 'not without Date', change: () => ({ sendDate: false }) },
  { what: 'not with a writeHead of its own', change: () => ({ writeHead: () => {} }) },
  { what: 'not with an end of its own', change: () => ({ end: () => {} }) },
  { what: 'not with a _storeHeader of its own, as for fetch', change: () => ({ _storeHeader: () => {} }) },
  { what: 'not with a header', change: (response: ServerResponse) => void response.setHeader('X', '1') },
  { what: 'not of a class with its own writeHead', make: () => makeResponse(1, 'GET', class extends ServerResponse<IncomingMessage> {
    override writeHead(status: number): this {
      return super.writeHead(status);
    }
  }) },
] as readonly { what: string; make?: () => NodeResponse; change?: (response: ServerResponse) => object | void; expected?: boolean }[]) {
  plain(what, async () => {
    const response = make();
    Object.assign(response, change(response));
    assert.is((await load()).isPlain(response), expected);
  });
}

const changed = suite('Node writes its own heads');
/** Replaces a property during a call. */
async function withReplaced(target: object, name: string, value: unknown, call: () => Promise<void>): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  try {
    await call();
  } finally {
    delete (target as Record<string, unknown>)[name];
    if (before !== undefined) Object.defineProperty(target, name, before);
  }
}
const { prototype } = ServerResponse;
const { writeHead, end } = prototype;
type Send = (data: string, encoding?: string, callback?: () => void) => boolean;
const { _send: sendAsNode } = OutgoingMessage.prototype as unknown as { _send: Send };
for (const [what, target, name, value] of [
  ['if a tracer has replaced writeHead before', prototype, 'writeHead', function (this: ServerResponse, status: number) {
    return writeHead.call(this, status);
  }],
  ['if a tracer has replaced end before', prototype, 'end', function (this: ServerResponse, body: string) {
    return end.call(this, body, 'latin1');
  }],
  ['if Node no longer sends a head that was set', prototype, '_send', function (this: { _header: string }, ...values: Parameters<Send>) {
    this._header = this._header.replace(/\r\n\r\n[^]*/, '\r\n\r\n');
    return sendAsNode.apply(this, values);
  }],
  ['if Node fails', prototype, '_send', () => {
    throw new Error('no such method');
  }],
  ['in Bun', process.versions, 'bun', '1.0.0'],
  ['in Deno', process.versions, 'deno', '2.0.0'],
] as const) {
  changed(what, async () => {
    await withReplaced(target, name, value, async () => assert.is((await load()).isPlain(makeResponse()), false));
    assert.is((await load()).isPlain(makeResponse()), true);
  });
}

const dates = suite('Date');
const realTimers = { setTimeout, now: Date.now };
/** The time in a response that is sent now. */
function readDate({ endWhole }: Module): number {
  const response = makeResponse();
  endWhole(response, 204, '', undefined);
  return Date.parse(/^Date: (.*)\r$/m.exec(joinOutput(response))?.[1] ?? '');
}
/** Waits until the time changes. */
async function waitForNext(module: Module, first: number): Promise<number> {
  for (;;) {
    const date = readDate(module);
    if (date !== first) return date;
    await new Promise((resolve) => void realTimers.setTimeout(resolve, 20));
  }
}
for (const [what, apis, isFirst] of [
  ['without fake timers', [], false],
  ['with fake timers that were installed after the server was loaded', ['setTimeout', 'Date'], false],
  ['with a fake setTimeout that was installed before', ['setTimeout'], true],
] as const) {
  dates(`goes on ${what}`, async () => {
    const loaded = isFirst ? undefined : await load();
    mock.timers.enable({ apis: [...apis] });
    try {
      const module = loaded ?? await load();
      const first = readDate(module);
      assert.ok(Math.abs(first - realTimers.now()) < 60_000);
      assert.ok(await waitForNext(module, first) > first);
    } finally {
      mock.timers.reset();
    }
  });
}
