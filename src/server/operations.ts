/** The five operations: how each calls the host's function, and how it answers with what that gives. */
import { NOT_FOUND_TEXT } from '../errors/api-error.ts';
import { disown, nameOf } from '../errors/thenable.ts';
import type { CustomDeclaration, Member } from '../endpoint/declaration.ts';
import type { Exchange } from './connection/exchange.ts';
import { failToEncode, report, type Operation } from './operation.ts';
import { Refused } from '../http/refused.ts';
import { refuseTooLong, replyCreated, replyJson, replyNoContent, replyRefused } from './reply.ts';
import type { ApiRequest } from '../endpoint/request.ts';
import type { ServedEndpoint } from './served-endpoint.ts';

export const CREATE: Operation = {
  method: 'POST',
  logsEveryFailure: false,
  pathIn: (endpoint) => endpoint.collectionPath,
  run: ({ declaration: { owner, create } }, _id, item, request) => create?.call(owner, item, request),
  answer: answerCreated,
};

export const GET: Operation = {
  method: 'GET',
  logsEveryFailure: false,
  pathIn: (endpoint) => endpoint.itemPath,
  run: ({ declaration: { owner, get } }, id, _input, request) => get?.call(owner, id, request),
  answer: answerItem,
};

export const UPDATE: Operation = {
  method: 'PUT',
  logsEveryFailure: false,
  pathIn: (endpoint) => endpoint.itemPath,
  run: ({ declaration: { owner, update } }, id, item, request) => update?.call(owner, id, item, request),
  answer: replyNoContent,
};

export const DELETE: Operation = {
  method: 'DELETE',
  logsEveryFailure: false,
  pathIn: (endpoint) => endpoint.itemPath,
  run: ({ declaration: { owner, delete: remove } }, id, _input, request) => remove?.call(owner, id, request),
  answer: replyNoContent,
};

/** A Custom operation, of which each is one of its own. */
export class CustomOperation implements Operation {
  readonly declaration: CustomDeclaration;

  constructor(declaration: CustomDeclaration) {
    this.declaration = declaration;
  }

  get method(): string {
    return 'POST';
  }

  get logsEveryFailure(): boolean {
    return true;
  }

  pathIn(endpoint: ServedEndpoint): string {
    return endpoint.pathOf(this.declaration);
  }

  run(_endpoint: ServedEndpoint, _id: unknown, input: unknown, request: ApiRequest): unknown {
    const { owner, decode, run } = this.declaration;
    return decode === undefined ? run.call(owner, request) : run.call(owner, input, request);
  }

  answer(exchange: Exchange, endpoint: ServedEndpoint, result: unknown): void {
    answerJson(exchange, this, endpoint, this.declaration, result);
  }
}

const NO_ITEM = new Refused(404, NOT_FOUND_TEXT);

/** `get: (id) => pets.get(id)` is what people write, so that `undefined` stands for an item that does not exist. */
function answerItem(exchange: Exchange, endpoint: ServedEndpoint, result: unknown): void {
  if (result === undefined) replyRefused(exchange, NO_ITEM);
  else answerJson(exchange, GET, endpoint, endpoint.declaration, result);
}

/** Who may have a `stringify`, and is its `this`. */
interface Writer {
  readonly owner: object;
  readonly stringify: Member | undefined;
}

function answerJson(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, writer: Writer, result: unknown): void {
  let json: string | undefined;
  try {
    json = writer.stringify === undefined ? JSON.stringify(result) : written(writer.stringify.call(writer.owner, result));
    refuseTooLong(json?.length ?? 0);
  } catch (thrown) {
    failToEncode(exchange, operation, endpoint, thrown);
    return;
  }
  if (json !== undefined) replyJson(exchange, 200, json);
  else failToEncode(exchange, operation, endpoint, new TypeError(`JSON can not carry a result of type ${typeof result}`));
}

/** Throws where a host's `stringify` gave no string. */
function written(json: unknown): string {
  if (typeof json === 'string') return json;
  disown(json);
  throw new TypeError(`a result was written as ${nameOf(json)}`);
}

// No request can have the others in its path, and every client makes another path of dots.
const UNREACHABLE = /^\.{0,2}$|[\0\r\n]/;
const MOST_SHOWN = 100;

function answerCreated(exchange: Exchange, endpoint: ServedEndpoint, result: unknown): void {
  let text: string;
  let location: string | undefined;
  try {
    text = endpoint.declaration.id.format(result);
    refuseTooLong(text.length);
    if (UNREACHABLE.test(text)) {
      const shown = JSON.stringify(text.slice(0, MOST_SHOWN));
      report(CREATE, endpoint, `no Location, since no path can carry the id ${shown}`, result);
    } else {
      location = `${endpoint.base}/${encodeURIComponent(text)}`;
      refuseTooLong(text.length + location.length);
    }
  } catch (thrown) {
    failToEncode(exchange, CREATE, endpoint, thrown);
    return;
  }
  replyCreated(exchange, text, location);
}
