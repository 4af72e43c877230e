/** What an exchange in memory is made from, and what gets its response. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Exchange } from '../exchange.ts';
import type { BodyRest, RawRequest } from './memory-body.ts';

/** A request in memory. `url` is the target. */
export interface MemoryParts {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: BodyRest;
  /** The socket of the outer request. */
  readonly client: Socket | null;
  /** The id that the outer request has given it. */
  readonly id?: string | undefined;
}

/** Makes Node's messages for exchanges in memory, when a listener or `request.raw` asks for them. */
export interface MessageMaker {
  readonly statusTexts: Readonly<Record<number, string | undefined>>;
  /** Makes a request. `leave` is called when the user's code destroys it. */
  makeRequest(parts: MemoryParts, leave: () => void): RawRequest;
  /** Closes a request when its response is over. */
  closeRequest(request: RawRequest, isFinished: boolean): void;
  /** Makes a response, for observers. */
  makeResponse(request: RawRequest): ServerResponse;
  /** Writes the head of such a response, when the real one is sent. */
  writeHead(response: ServerResponse, head: ResponseHead): void;
  /** Closes such a response. */
  closeResponse(response: ServerResponse, isFinished: boolean): void;
  /** Makes an exchange with both messages. Its response goes to `reader`. */
  makeExchange(parts: MemoryParts, reader: ResponseReader): { readonly exchange: Exchange; readonly request: RawRequest };
  /** Resolves when the exchanges that listeners have got are over. */
  close(): Promise<void>;
}

/** The head of a response. In `headers`, names and values alternate. */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
}

/** Receives a response: as a whole, or piece by piece. */
export interface ResponseReader {
  whole(head: ResponseHead, body: string | Uint8Array): void;
  begin(head: ResponseHead): void;
  /** `done` is called when there is room for more. */
  write(chunk: Buffer, done: () => void): void;
  end(): void;
  /** The response was broken off. */
  fail(error: Error): void;
}

export function closedEarly(): Error {
  return Object.assign(new Error('the connection was closed before the end of the response'), { code: 'ECONNRESET' });
}
