/** The common parts of the operations of the subject's other endpoints. */
import { ApiError, stringId, type IdCodec, type MaybePromise } from '../../src/index.ts';
import { waitTwoTurns } from '../support/wait.ts';
import type { CallLog } from './call-log.ts';
import { RequestedFailure } from './requested-failure.ts';

/** Runs an operation that has one of these invocations, at once or later, and fails as its marker asks. */
export type Act = <T>(operation: string, marker: string, result: () => T) => MaybePromise<T>;

export function actor(log: CallLog, name: string): Act {
  return (operation, marker, result) => {
    const begun = log.begin(`${name} ${operation}`);
    const settle = (): ReturnType<typeof result> => {
      begun.end();
      failAsAsked(marker);
      return result();
    };
    return isPrompt(marker) ? settle() : waitTwoTurns().then(settle);
  };
}

/** Whether the action of a marker is done at once, and not later. */
export function isPrompt(marker: string): boolean {
  return marker.length % 2 === 0;
}

export function failAsAsked(marker: string): void {
  if (/^(?:broken|lost|mapped)/.test(marker)) throw new RequestedFailure(marker);
  if (marker.startsWith('teapot')) {
    throw ApiError.status(418, marker, { type: 'https://a.example/pot', title: 'Teapot', extensions: { pot: 7 }, headers: { 'X-Pot': 'short' } });
  }
}

/** Makes a response of a failure that its marker asks for. */
export function mapError(log: CallLog): (thrown: unknown) => ApiError | undefined {
  return (thrown) => {
    if (!(thrown instanceof RequestedFailure)) return undefined;
    log.note('mapError', thrown.message);
    if (thrown.message.startsWith('lost')) return ApiError.notFound();
    return thrown.message.startsWith('mapped') ? ApiError.status(409, thrown.message) : undefined;
  };
}

/** A codec that records its calls. */
export function logCodec<Id>(log: CallLog, codec: IdCodec<Id>): IdCodec<Id> {
  return {
    parse: (text) => (log.note('parse', text), codec.parse(text)),
    format: (id) => (log.note('format', String(id)), codec.format(id)),
  };
}

export const logStringId = (log: CallLog): IdCodec<string> => logCodec(log, stringId);
