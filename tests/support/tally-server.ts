/** Serves a tally at `/v1/tally`, whose changes need `If-Match`, with a pause between the server's comparison of versions and the store's. */
import { ApiError, type ApiServer, defineEndpoint } from '../../src/index.ts';
import { delay, Gate } from './wait.ts';
import type { Tallies, Tally } from './tallies.ts';

export const REJECTED_BY_STORE = 'another writer was first';
const MAX_PAUSE_MS = 3;

export interface TallyOptions {
  /**
   * So many first changes wait for each other, so that each has passed the server's comparison before any of them is written. Later ones wait a
   * moment.
   */
  readonly together?: number;
  /** A bug if `false`: the store does not get the versions that the client named. */
  readonly compares?: boolean;
  /** Called when a change has been written, before its response. */
  readonly onWritten?: () => void;
}

export function serveTallies(server: ApiServer, tallies: Tallies, { together = 0, compares = true, onWritten = () => {} }: TallyOptions = {}): void {
  const gate = new Gate();
  let arrived = 0;
  const pause = async (): Promise<void> => {
    arrived += 1;
    if (arrived === together) gate.open();
    await (arrived <= together ? gate.passed : delay(Math.random() * MAX_PAUSE_MS));
  };
  server.registerEndpoint('/tally', defineEndpoint({
    schema: parseTally,
    get: () => tallies.find(),
    version: ({ revision }) => revision,
    requireIfMatch: true,
    update: async ({ counts }, { ifMatch }) => {
      await pause();
      if (!await tallies.replace(counts, compares ? ifMatch : undefined)) throw ApiError.status(412, REJECTED_BY_STORE);
      onWritten();
    },
  }));
}

function parseTally(json: unknown): Tally {
  const { counts, revision } = Object(json) as Partial<Tally>;
  if (!Array.isArray(counts) || typeof revision !== 'number') throw new TypeError('expected counts and a revision');
  return { counts, revision };
}
