/** Slow operations, and requests for them. */
import { defineEndpoint, stringId, type ApiRequest, type ApiServer } from '../../src/index.ts';
import { chunkedMessage, Gate, message } from './facts.ts';

/** An endpoint whose operations wait at a gate, and records of their calls. */
export class SlowEndpoint {
  readonly gate = new Gate();
  readonly begun: string[] = [];
  aborted = 0;

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/slow', defineEndpoint({
      id: stringId,
      schema: (json: unknown) => json,
      create: async (_item, request) => this.#wait('create', request),
      get: (id, request) => (id === 'quick' ? id : this.#wait(id, request)),
      update: async (id, _item, request) => void (await this.#wait(id, request)),
    }));
    server.mount('/endless', (_request, response) => {
      this.begun.push('endless');
      response.on('close', () => (this.aborted += 1));
      response.write('first');
    });
  };

  async #wait(name: string, { signal }: ApiRequest): Promise<string> {
    this.begun.push(name);
    signal.addEventListener('abort', () => (this.aborted += 1));
    await this.gate.passed;
    return name;
  }
}

export const QUICK = message('GET', '/v1/slow/quick');
export const POST = message('POST', '/v1/slow', '{"legs":6}');
export const CHUNKED = chunkedMessage('POST', '/v1/slow', '{"legs":6}');
