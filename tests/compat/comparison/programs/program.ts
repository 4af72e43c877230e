/**
 * The programs of docs/about.md: one API of notes, written with each framework as its documentation shows, and with its defaults.
 *
 * The API: `GET /note/1`, `PUT /note/1`, `POST /note`, `POST /any`, which reads any JSON, `GET /fail`, which throws,
 * and, with servers that are not of contracts, `DELETE /session`, which has a cookie.
 */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

export interface Running {
  readonly url: string;
  readonly close: () => Promise<unknown>;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A server. `named` is the package, the function or the option that the page names. */
export interface Program {
  /** Whether a handler has the type of its schema. A line of the program does not compile if this is wrong. */
  readonly typed: string;
  /** Starts a server. The second one shares only what the framework stores outside of it. */
  start(): Promise<Running>;
  startHttp2?(certificate: Certificate): Promise<Running>;
  /** Without a port: the status of `GET /note/1`. */
  readonly inject?: { readonly named: string; readonly status: () => Promise<number> };
  readonly document?: { readonly named: string; readonly make: () => unknown };
}

/** A client of such a server. Lines with `satisfies` do not compile if it infers other types. */
export interface TypedClient {
  /** A rejected call, with the defaults. */
  rejected(url: string): Promise<unknown>;
  /** The same with an option or a function that returns the rejection. */
  readonly returned?: { readonly named: string; readonly call: (url: string) => Promise<unknown> };
  /** A property of a rejection. `by` is the property that it is found by. */
  readonly property?: { readonly by: 'code' | 'status'; readonly holder: (url: string) => Promise<string | undefined> };
  /** Note 1, whose `at` is a `Date` on the server and has this type in the client. */
  readonly note: { readonly at: 'Date' | 'string'; readonly read: (url: string) => Promise<unknown> };
  /** The status of a result that breaks its schema. */
  broken?(url: string): Promise<number>;
  /** The same with an option of the server. */
  readonly strict?: { readonly named: string; readonly status: () => Promise<number> };
  /** Two calls at once, batched if the client can do that. */
  readonly two: { readonly named: string; readonly calls: (url: string, send: typeof fetch) => Promise<unknown> };
  /** A call that is repeated after a 503, if the client can do that. */
  readonly repeated: { readonly named: string; readonly call: (url: string, send: typeof fetch) => Promise<unknown> };
  /** The numbers of server-sent events, iterated with their type. */
  ticks?(url: string): Promise<number[]>;
}

/** `true` if two types are the same: `true satisfies Same<typeof text, string>`. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** The bodies that `POST /any` has read. */
export const seen: unknown[] = [];

/** The ids of the notes that `POST /note` has made. */
export const made: string[] = [];

/** The text of note 1. It looks like a date, and is none. */
export const TEXT = '2026-01-01';

/** The text of the error that `GET /fail` throws. */
export const SECRET = 'the password is swordfish';

export async function running(server: Server, scheme = 'http'): Promise<Running> {
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `${scheme}://127.0.0.1:${port}`, close: () => new Promise((done) => server.close(done)) };
}
