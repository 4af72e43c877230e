/** A server whose readers get the events that a check sends. */
import { EventEmitter, on } from 'node:events';
import { events } from '../../dist/formats/index.js';
import { ApiError, ApiServer, reply } from '../../dist/index.js';
import { waitUntil } from './until.js';

const HTML = { 'Content-Type': 'text/html' };
const PAGE = '<!doctype html><title>a page</title>';

/** Events with a comment after a short silence. */
export function makeQuickEvents(heartbeatMs) {
  const output = events((data) => data);
  output[' internal'].heartbeatMs = heartbeatMs;
  return output;
}

export class EventsApi {
  /** The `Last-Event-ID` of each request, in their order. */
  lastEventIds = [];
  /** How many streams were closed before their events ended. */
  closed = 0;
  errors = [];
  #server;
  #port = 0;
  #channel = new EventEmitter().setMaxListeners(0);
  #response;

  /**
   * Starts it on a free port. `output` is the format of `GET /v1/event`; `listeners` are in front of it. `GET /v1/silent` has the same
   * events, and a heartbeat after 15 s.
   */
  static async start({ output = events((data) => data), listeners = [] } = {}) {
    const api = new EventsApi();
    api.#server = new ApiServer('/v1', { logger: { info() {}, error: (error) => api.errors.push(error) } });
    for (const listener of listeners) api.#server.use(listener);
    for (const [path, format] of [['/event', output], ['/silent', events((data) => data)]]) {
      api.#server.registerEndpoint(path, { get: { output: format, run: ({ lastEventId }) => api.#run(lastEventId) } });
    }
    api.#server.mount('/page', (_request, response) => response.writeHead(200, HTML).end(PAGE));
    await api.startAgain();
    return api;
  }

  get port() {
    return this.#port;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Sends an event to all readers. */
  send(event) {
    this.#channel.emit('send', event);
  }

  /** Ends all streams. */
  end() {
    this.#channel.emit('end');
  }

  /** Sends a status for the next requests. */
  respondWith(status) {
    this.#response = status < 300 ? () => reply(status) : () => { throw ApiError.status(status, 'Not now.'); };
  }

  /** Waits until so many requests have arrived, from the beginning. */
  async asked(count) {
    await waitUntil(() => this.lastEventIds.length >= count, () => `request ${count}; there are ${this.lastEventIds.length}`);
  }

  stop() {
    return this.#server.stop();
  }

  /** Listens on the port that it had. */
  async startAgain() {
    const started = await this.#server.start(`127.0.0.1:${this.#port}`);
    if (!started.ok) throw new Error(started.error);
    this.#port = started.address.port;
  }

  #run(lastEventId) {
    this.lastEventIds.push(lastEventId);
    return this.#response?.() ?? this.#stream();
  }

  #stream() {
    const sent = on(this.#channel, 'send', { close: ['end'] });
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const { done, value } = await sent.next();
          return done ? { done, value } : { done, value: value[0] };
        },
        return: () => {
          this.closed += 1;
          return sent.return();
        },
      }),
    };
  }
}

/** Starts a server, uses it, and stops it. Fails if it has logged an error that `use` does not take out. */
export async function withEvents(options, use) {
  const api = await EventsApi.start(options);
  try {
    await use(api);
    if (api.errors.length > 0) throw new AggregateError(api.errors, 'the server has logged errors');
  } finally {
    await api.stop();
  }
}
