/**
 * The servers that are fuzzed. The second has a short `limits.operationMs`, for operations that never end. The third has middleware and the option `cors`.
 * Both have the option `requestId`.
 */
import type { AddressInfo } from 'node:net';
import { ApiError, ApiServer, type ApiServerOptions, type Limits, type LoggedRequest } from '../../src/index.ts';
import { registerBytes } from './bytes-endpoint.ts';
import { CallLog, type ServedConnection } from './call-log.ts';
import { LISTED } from './cors.ts';
import { registerEndpoints } from './endpoints.ts';
import { registerUserFunctions } from './user-functions.ts';
import { ID_OPTIONS, type TakenIds } from './request-ids.ts';
import { RequestedFailure } from './requested-failure.ts';
import { Subscriber } from './subscriber.ts';
import { makeMiddleware } from './middleware.ts';

export const BODY_BYTES = 2000;
export const HEADER_BYTES = 4096;
/** More requests than the cases have in flight at once, so that no request is rejected. */
export const IN_FLIGHT = 40;

const TIMEOUT_MS = 500;

/** Whose ids the servers take. The first has no ids. */
export const TAKEN_IDS: Readonly<Record<'plain' | 'timeout' | 'middleware', TakenIds | undefined>> = {
  plain: undefined, timeout: 'of nobody', middleware: 'of all',
};

export class Subject {
  readonly #log: CallLog;
  readonly #subscriber: Subscriber | undefined;
  readonly #server: ApiServer;
  readonly #timeoutServer: ApiServer;
  readonly #middlewareServer: ApiServer;
  /** Whether `limits.inFlight` is set. */
  readonly isCounting: boolean;
  #port = 0;
  #timeoutPort = 0;
  #middlewarePort = 0;

  private constructor(limits: Limits, subscriber: Subscriber | undefined) {
    this.#log = new CallLog(subscriber);
    this.#subscriber = subscriber;
    this.isCounting = limits.inFlight !== undefined;
    this.#server = this.#create(limits);
    this.#timeoutServer = this.#create({ ...limits, operationMs: TIMEOUT_MS }, ID_OPTIONS['of nobody']);
    this.#middlewareServer = this.#create(limits, { cors: { origins: LISTED, credentials: true }, ...ID_OPTIONS['of all'] });
    this.#middlewareServer.use(makeMiddleware(this.#log));
  }

  /** Serves on free ports. */
  static async start(limits: Limits = {}, subscriber?: Subscriber): Promise<Subject> {
    const subject = new Subject(limits, subscriber);
    subject.#port = await subject.#open(subject.#server);
    subject.#timeoutPort = await subject.#open(subject.#timeoutServer);
    subject.#middlewarePort = await subject.#open(subject.#middlewareServer);
    return subject;
  }

  /** Starts the servers for a seed. An odd seed sets `limits.inFlight`. The requests of every third are observed. */
  static startFor(seed: number): Promise<Subject> {
    return Subject.start(seed % 2 === 1 ? { inFlight: IN_FLIGHT } : {}, seed % 3 === 0 ? new Subscriber() : undefined);
  }

  get port(): number {
    return this.#port;
  }

  get timeoutPort(): number {
    return this.#timeoutPort;
  }

  get middlewarePort(): number {
    return this.#middlewarePort;
  }

  /** Calls `server.fetch` of one of the servers. The functions that it calls are recorded in the connection. */
  fetch(which: 'plain' | 'timeout' | 'middleware', connection: ServedConnection, input: string | Request, init?: RequestInit): Promise<Response> {
    const server = { plain: this.#server, timeout: this.#timeoutServer, middleware: this.#middlewareServer }[which];
    return this.#log.runCall(connection, () => server.fetch(input, init));
  }

  /** Resolves to the connection of a client, by the client's port, when the server has accepted it. Returns each connection once. */
  connectionOf(clientPort: number | undefined, port = this.#port): Promise<ServedConnection> {
    return this.#log.connectionOf(port, clientPort);
  }

  /** The calls that were in no request's async context, or in another request's, and the failures that observers saw. Returns each once. */
  takeLost(): readonly string[] {
    return [...this.#log.takeLost(), ...(this.#subscriber?.takeComplaints() ?? [])];
  }

  /** How many requests were observed to their end. */
  get observed(): number {
    return this.#subscriber?.ended ?? 0;
  }

  /** Throws if observers saw something wrong. */
  async stop(): Promise<void> {
    await Promise.all([this.#server.stop(), this.#timeoutServer.stop(), this.#middlewareServer.stop()]);
    this.#log.stop();
    const complaints = this.#subscriber?.stop() ?? [];
    if (complaints.length > 0) throw new Error(`observers: ${complaints.join('; ')}`);
  }

  #create(limits: Limits, options: ApiServerOptions = {}): ApiServer {
    const logger = { info: () => {}, error: (error: Error, { id }: LoggedRequest) => this.#logged(error, id) };
    const server = new ApiServer('/v1', { logger, limits: { ...limits, bodyBytes: BODY_BYTES, headerBytes: HEADER_BYTES }, stopGraceMs: 1000, ...options });
    registerUserFunctions(server, this.#log);
    registerEndpoints(server, this.#log);
    registerBytes(server, this.#log);
    return server;
  }

  async #open(server: ApiServer): Promise<number> {
    const started = await server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    const { port } = started.address as AddressInfo;
    this.#log.watch(port);
    return port;
  }

  /** Records the server's log. A line about a request must be logged in that request's context. */
  #logged({ message, cause: logged }: Error, id: string | undefined): void {
    if (id !== undefined) this.#log.note('id', id);
    // An error that does not match what its operation declares has the thrown one as its cause.
    const cause = logged instanceof TypeError && logged.message.startsWith('the error does not match') ? logged.cause : logged;
    if (WITHOUT_ROOT.test(message)) return;
    if (cause instanceof RequestedFailure) this.#log.note('log', cause.message === '' ? undefined : cause.message);
    else if (cause === undefined ? ONE_LINE.test(message) : isPossible(cause)) this.#log.note('log');
    else this.#log.fail(message);
  }
}

// What is logged without a cause: a timeout, and a failure of a Custom operation below 500.
const ONE_LINE = /: the operation took longer than \d+ ms$|^POST /;
// Of all requests, only the first whose path lacks the root is logged.
const WITHOUT_ROOT = /^a request for \S+ gets 404: did you mean /;

/** Whether a failure is a timeout, one of the user's or the server's responses, or a stream that is not as it should be. */
function isPossible(cause: unknown): boolean {
  if (cause instanceof ApiError || (cause instanceof DOMException && cause.name === 'TimeoutError')) return true;
  return cause instanceof Error && /^a stream had|^the body was read before|^the result does not match output/.test(cause.message);
}
