/** The start and the stop of an `ApiServer`: of the listener that it makes, and of the host's servers that it is attached to. */
import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { textOf } from '../../errors/thrown.ts';
import { tlsModules } from '../../node.ts';
import type { Settings } from '../settings/options.ts';
import { renewedTls, type TlsOptions } from '../settings/tls-options.ts';
import { type ListenAddress, parseAddress, urlOf } from './address.ts';
import { Attachments } from './attachments.ts';
import { Listener, type Receiver } from './listener.ts';
import { StopSignal } from './stop-signal.ts';

/** What `start` resolves to: the address of the server, or why it does not listen. */
export type StartResult =
  | {
      readonly ok: true;
      /** The base URL, without the root prefix: `http://127.0.0.1:8080`; with `tls`, `https://127.0.0.1:8443`. */
      readonly url: string;
      /** The address as Node has it; for a Unix socket, its path. */
      readonly address: AddressInfo | string | null;
    }
  | { readonly ok: false; readonly error: string };

/** `ApiServer` says what each method promises to hosts. */
export class LifeCycle {
  readonly attachments: Attachments;
  readonly #settings: Settings;
  readonly #receiver: Receiver;
  readonly #stopSignal = new StopSignal();
  #tls: TlsOptions | undefined;
  #listener: Listener | undefined;
  #starting: Promise<StartResult> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(settings: Settings, receiver: Receiver) {
    this.#settings = settings;
    this.#receiver = receiver;
    this.#tls = settings.tls;
    this.attachments = new Attachments(settings, receiver);
  }

  get stopping(): AbortSignal {
    return this.#stopSignal.signal;
  }

  async start(address: ListenAddress): Promise<StartResult> {
    if (this.#stopping !== undefined) return this.#notStarted(new Error('the server is stopping'));
    if (this.#listener !== undefined) return this.#notStarted(new Error('the server is already started'));
    if (!this.attachments.isEmpty) return this.#notStarted(new Error('the server is attached to a server of the host'));
    try {
      this.#listener = new Listener(this.#settings, this.#receiver, { tls: this.#tls });
    } catch (error) {
      return this.#notStarted(error);
    }
    this.#stopSignal.renew();
    this.#starting = this.#open(this.#listener, address);
    return this.#starting;
  }

  attach(server: HttpServer | HttpsServer): void {
    if (this.#stopping !== undefined) throw new TypeError('the server is stopping');
    if (this.#listener !== undefined) throw new TypeError('the server is already started');
    // The host would think that it serves TLS.
    if (this.#tls !== undefined) throw new TypeError('attach cannot have the option tls: make an https.Server with it');
    if (this.attachments.isEmpty) this.#stopSignal.renew();
    this.attachments.attach(server);
  }

  stop(): Promise<void> {
    if (this.#listener !== undefined || !this.attachments.isEmpty) this.#stopSignal.abort();
    this.#stopping ??= this.#close().finally(() => (this.#stopping = undefined));
    return this.#stopping;
  }

  setSecureContext(options: SecureContextOptions): void {
    if (this.#tls === undefined) throw new TypeError('setSecureContext needs the option tls');
    const tls = renewedTls(this.#tls, options);
    tlsModules().tls.createSecureContext(tls);
    this.#listener?.setSecureContext(tls);
    this.#tls = tls;
  }

  async #open(listener: Listener, address: ListenAddress): Promise<StartResult> {
    try {
      const bound = await listener.open(parseAddress(address));
      return { ok: true, url: urlOf(bound, this.#tls === undefined ? 'http' : 'https'), address: bound };
    } catch (error) {
      this.#listener = undefined;
      return this.#notStarted(error);
    }
  }

  #notStarted(cause: unknown): StartResult {
    const error = textOf(cause);
    this.#settings.logger.error(new Error(`the server is not started: ${error}`, { cause }));
    return { ok: false, error };
  }

  async #close(): Promise<void> {
    await this.#starting;
    await Promise.all([this.#listener?.close(), this.attachments.close()]);
    this.#listener = undefined;
  }
}
