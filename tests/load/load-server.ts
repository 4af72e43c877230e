/** The parent's side of the process in which the server of the load test runs, and the types of both sides. */
import { Forked } from '../support/forked.ts';

export type Ask = 'start' | 'publish' | 'tick' | 'stop' | 'measure';

/** Sizes are in bytes. */
export interface Measure {
  readonly rss: number;
  /** The largest that was sampled since the start. */
  readonly mostRss: number;
  /** The bytes that the user's streams have produced. */
  readonly given: number;
  /** The longest piece of an upload that the operation got. */
  readonly longestChunk: number;
  /** How many clients wait for the next event. */
  readonly listeners: number;
  /** The log. */
  readonly failures: readonly string[];
}

export const CHUNK_BYTES = 64 * 1024;
/** The length of a long body, in bytes, but for what is left of its last item. */
export const TOTAL_BYTES = Number(process.env['LOAD_GIGABYTES'] ?? 5) * 1e9;
/** The length of a body whose pieces are looked at on both sides. */
export const BLOB_BYTES = Math.floor(Math.min(2 ** 30, TOTAL_BYTES) / CHUNK_BYTES) * CHUNK_BYTES;
export const BLOB = `${Math.round(BLOB_BYTES / 2 ** 20)} MiB`;
/** One event each tenth of a second. */
export const EVENT_COUNT = 40;
export const EVENT_MS = 100;
// It takes some milliseconds to stop.
export const STOP_GRACE_MS = 300_000;
// Else most of what is measured are chunks that V8 has not collected yet: 25 to 70 MB, by its timing.
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=1';

const CHUNKS = Array.from({ length: 251 }, (_, at) => Buffer.alloc(CHUNK_BYTES, at));

/** The bytes at a position of the transfer. Neighbours differ, and a chunk is new each time. */
export function chunkAt(index: number): Buffer {
  return Buffer.from(chunkLike(index));
}

/** The same bytes, in a buffer that others have too. */
export function chunkLike(index: number): Buffer {
  const chunk = CHUNKS[index % CHUNKS.length];
  if (chunk === undefined) throw new RangeError(`no chunk ${index}`);
  return chunk;
}

export class LoadServer {
  readonly #process: Forked<Ask>;

  private constructor(uploads: string) {
    this.#process = new Forked<Ask>(new URL('./server.js', import.meta.url), [uploads], [SMALL_YOUNG_GENERATION]);
  }

  /** Starts a server in a separate process, uses it, and ends the process. */
  static async running(uploads: string, use: (server: LoadServer, port: number) => Promise<void>): Promise<void> {
    const server = new LoadServer(uploads);
    try {
      await use(server, await server.start());
    } finally {
      await server.#process.end();
    }
  }

  /** Returns the port. Also starts a server that has been stopped. */
  async start(): Promise<number> {
    return (await this.#process.ask('start')) as number;
  }

  /** Makes all ticks. */
  async tick(): Promise<void> {
    await this.#process.ask('tick');
  }

  async publish(): Promise<void> {
    await this.#process.ask('publish');
  }

  async stop(): Promise<void> {
    await this.#process.ask('stop');
  }

  async measure(): Promise<Measure> {
    return (await this.#process.ask('measure')) as Measure;
  }
}
