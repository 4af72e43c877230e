/** Decodes the query and the headers of a request: first by the interceptors, which take their own names, then by the operation. */
import { Rejection, type ValidationStatus } from '../errors/problem.ts';
import { isThenable } from '../util/promises.ts';
import { joinHeaders } from '../http/head.ts';
import { type Lists, parseQuery } from '../http/query.ts';
import { type Decode, makeHeadersDecoder, makeQueryDecoder } from './decoder.ts';
import type { MaybePromise } from '../declaration/decoder.ts';
import type { CheckedInterceptor } from './checked-interceptor.ts';
import { chooseLists, readSendable } from './string-fields.ts';

/** The decoded query and headers. `query` is an object, since a query can be decoded as `undefined`. */
export interface DecodedHead {
  query: { readonly value: unknown } | undefined;
  headers: unknown;
  /** The query and headers of each interceptor, at its index. Nothing for an interceptor without decoders. */
  readonly byInterceptor: { query: unknown; headers: unknown }[];
}

type HeadValues = Record<string, unknown>;

interface DecodeStep {
  readonly part: 'query' | 'headers';
  readonly decode: Decode;
  readonly accept: (value: unknown, head: DecodedHead, values: HeadValues) => void;
}

/** The options of an operation. */
interface HeadOptions {
  readonly query: unknown;
  readonly headers: unknown;
  readonly lists: readonly string[];
}

export class HeadDecoders {
  readonly #steps: readonly DecodeStep[];
  readonly #lists: Lists;
  readonly #readsQuery: boolean;
  readonly #readsHeaders: boolean;

  /** Throws `TypeError`, with `path` in the message, for an invalid decoder. */
  constructor(path: string, { query, headers, lists }: HeadOptions, interceptors: readonly CheckedInterceptor[], status: ValidationStatus) {
    const decoders = [query, ...interceptors.map(({ declared }) => declared['query'])].filter((decoder) => decoder !== undefined);
    this.#lists = chooseLists(decoders, lists, { schema: `${path}.query`, lists: `${path}.lists` });
    if (headers !== undefined) readSendable(headers, `${path}.headers`);
    for (const { declared, path: own } of interceptors) {
      if (declared['headers'] !== undefined) readSendable(declared['headers'], `${own}.headers`);
    }
    const isLast = (part: DecodeStep['part'], at: number): boolean => {
      const later = interceptors.slice(at + 1);
      return part === 'query'
        ? query === undefined && later.every(({ decodeQuery }) => decodeQuery === undefined)
        : headers === undefined && later.every(({ decodeHeaders }) => decodeHeaders === undefined);
    };
    const steps: DecodeStep[] = interceptors.flatMap(({ decodeQuery, decodeHeaders }, at) => [
      ...makeStep('query', decodeQuery, at, isLast('query', at)), ...makeStep('headers', decodeHeaders, at, isLast('headers', at)),
    ]);
    if (query !== undefined) steps.push({ part: 'query', decode: makeQueryDecoder(query, `${path}.query`, status), accept: acceptQuery });
    if (headers !== undefined) {
      steps.push({ part: 'headers', decode: makeHeadersDecoder(headers, `${path}.headers`, status), accept: acceptHeaders });
    }
    this.#steps = steps;
    this.#readsQuery = this.#steps.some(({ part }) => part === 'query');
    this.#readsHeaders = this.#steps.some(({ part }) => part === 'headers');
  }

  /** Whether neither the query nor the headers are decoded. */
  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /** Decodes a query, without its `?`, and headers. Throws when a decoder fails. */
  decode(query: string, rawHeaders: readonly string[]): MaybePromise<DecodedHead | Rejection> {
    const parsed = this.#readsQuery ? parseQuery(query, this.#lists) : {};
    if (parsed instanceof Rejection) return parsed;
    const headers = this.#readsHeaders ? joinHeaders(rawHeaders) : {};
    return this.#continue(0, { query: undefined, headers: undefined, byInterceptor: [] }, { query: parsed, headers });
  }

  #continue(
    from: number, head: DecodedHead, sources: Readonly<Record<DecodeStep['part'], HeadValues>>,
  ): MaybePromise<DecodedHead | Rejection> {
    for (let index = from; ; index += 1) {
      const step = this.#steps[index];
      if (step === undefined) return head;
      const { part, decode, accept } = step;
      const value = decode(sources[part]);
      if (isThenable(value)) {
        return value.then((settled) => {
          if (settled instanceof Rejection) return settled;
          accept(settled, head, sources[part]);
          return this.#continue(index + 1, head, sources);
        });
      }
      if (value instanceof Rejection) return value;
      accept(value, head, sources[part]);
    }
  }
}

/** Makes the step of an interceptor's decoder. `isLast`: no later decoder reads this part. */
function makeStep(part: DecodeStep['part'], decode: Decode | undefined, at: number, isLast: boolean): DecodeStep[] {
  if (decode === undefined) return [];
  return [{
    part,
    decode,
    accept: (value, { byInterceptor: byInterceptor }, values) => {
      (byInterceptor[at] ??= { query: undefined, headers: undefined })[part] = value;
      if (isLast) return;
      for (const name of Object.keys(Object(value))) delete values[name];
    },
  }];
}

function acceptQuery(value: unknown, head: DecodedHead): void {
  head.query = { value };
}

function acceptHeaders(value: unknown, head: DecodedHead): void {
  head.headers = value;
}
