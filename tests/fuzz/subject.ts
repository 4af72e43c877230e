/**
 * The servers that are fuzzed: one that waits for its operations as long as they take, and one that is hasty, so that
 * operations which never end are answered for.
 */
import type { AddressInfo } from 'node:net';
import { ApiServer, type Limits } from '../../src/index.ts';
import { Asked } from './asked.ts';
import { registerHost } from './host.ts';
import { Witness, type Visit } from './witness.ts';

export const BODY_BYTES = 2000;
export const HEADER_BYTES = 4096;
/** More than are ever in work at once: the limit is there to be counted to. */
export const IN_FLIGHT = 40;

const HASTY_MS = 50;

export class Subject {
  readonly #witness = new Witness();
  readonly #patient: ApiServer;
  readonly #hasty: ApiServer;
  /** Whether there is a limit to how many requests are in work. */
  readonly isCounting: boolean;
  #port = 0;
  #hastyPort = 0;

  private constructor(limits: Limits) {
    this.isCounting = limits.inFlight !== undefined;
    this.#patient = this.#server(limits);
    this.#hasty = this.#server({ ...limits, operationMs: HASTY_MS });
  }

  /** Serves on free ports. */
  static async start(limits: Limits = {}): Promise<Subject> {
    const subject = new Subject(limits);
    subject.#port = await subject.#open(subject.#patient);
    subject.#hastyPort = await subject.#open(subject.#hasty);
    return subject;
  }

  /** Serves as a seed has it: with an odd one, `limits.inFlight` is set. */
  static startFor(seed: number): Promise<Subject> {
    return Subject.start(seed % 2 === 1 ? { inFlight: IN_FLIGHT } : {});
  }

  get port(): number {
    return this.#port;
  }

  get hastyPort(): number {
    return this.#hastyPort;
  }

  /** The visit of a client, by its port, once it has been accepted. Can be asked for once. */
  visitOf(clientPort: number | undefined, port = this.#port): Promise<Visit> {
    return this.#witness.visitOf(port, clientPort);
  }

  /** Calls of the host's functions that found no context, or another request's; each is told once. */
  takeLost(): readonly string[] {
    return this.#witness.takeLost();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#patient.stop(), this.#hasty.stop()]);
    this.#witness.stop();
  }

  #server(limits: Limits): ApiServer {
    const logger = { info: () => {}, error: (error: Error) => this.#logged(error) };
    const server = new ApiServer('/v1', { logger, limits: { ...limits, bodyBytes: BODY_BYTES, headerBytes: HEADER_BYTES }, stopGraceMs: 1000 });
    registerHost(server, this.#witness);
    return server;
  }

  async #open(server: ApiServer): Promise<number> {
    const started = await server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    const { port } = started.address as AddressInfo;
    this.#witness.watch(port);
    return port;
  }

  /** A failure that a request asked for, or an operation that took too long, is logged for that request. */
  #logged({ message, cause }: Error): void {
    if (cause instanceof Asked) this.#witness.note('log', cause.message);
    else if (cause instanceof DOMException && cause.name === 'TimeoutError') this.#witness.note('log');
    else this.#witness.fail(message);
  }
}
