/** A stream of a user's, whose functions record their calls. */
import { Buffer } from 'node:buffer';
import { twoTurns } from '../support/gate.ts';
import type { Begun, CallLog } from './call-log.ts';

/** What an operation knows when it returns its result. */
export interface Telling {
  readonly marker: string;
  readonly begun: Begun;
  readonly log: CallLog;
}

/**
 * The marker between `<` and `>`, in strings and bytes, some of them empty, some later. At the end yields `odd`, or throws `failure`, if
 * there is one. The operation ends when the stream has ended or is closed.
 */
export function pieces({ marker, begun, log }: Telling, failure?: Error, odd?: unknown): AsyncIterable<unknown> {
  const steps: unknown[] = ['<', '', Buffer.from(marker), Buffer.alloc(0), '>'];
  if (odd !== undefined) steps.push(odd);
  const next = async (): Promise<IteratorResult<unknown>> => {
    log.note('next', marker);
    if (steps.length % 2 === 0) await twoTurns();
    if (steps.length > 0) return { done: false, value: steps.shift() };
    begun.end();
    if (failure !== undefined) throw failure;
    return { done: true, value: undefined };
  };
  const close = async (): Promise<IteratorResult<unknown>> => {
    log.note('close', marker);
    begun.end();
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: close }) };
}
