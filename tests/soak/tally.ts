/** Counts requests and responses, and keeps a few examples of mistakes. */

const MAX_EXAMPLES = 10;

export class Tally {
  /** Requests that had to get a response. */
  requests = 0;
  responses = 0;
  /** Requests that their client aborted. */
  aborted = 0;
  /** Requests that met a stop of the server, which does not start them. */
  stopped = 0;
  lost = 0;
  wrong = 0;
  readonly examples: string[] = [];

  lose(requests: number, example: string): void {
    this.lost += requests;
    this.examples.push(`lost: ${example.slice(0, 500)}`);
  }

  mistake(example: string): void {
    this.wrong += 1;
    this.examples.push(`wrong: ${example.slice(0, 500)}`);
  }

  add(other: Tally): void {
    this.requests += other.requests;
    this.responses += other.responses;
    this.aborted += other.aborted;
    this.stopped += other.stopped;
    this.lost += other.lost;
    this.wrong += other.wrong;
    this.examples.push(...other.examples.slice(0, MAX_EXAMPLES - this.examples.length));
  }

  toString(): string {
    const { requests, responses, aborted, stopped, lost, wrong } = this;
    return `${requests} requests, ${responses} responses, ${aborted} aborted, ${stopped} met the stop, ${lost} lost, ${wrong} wrong`;
  }
}
