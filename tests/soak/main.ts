/**
 * The soak test: hundreds of clients for some minutes. They send valid and invalid requests, are slow or leave. In the middle the server
 * is stopped and started. Exits with 1 if a response is lost or wrong, or if the server has grown.
 *
 *   npm run soak                                     for two minutes
 *   npm run soak -- --minutes 60 --visitors 400      for longer, with more clients
 */
import { parseArgs } from 'node:util';
import { delay } from '../support/wait.ts';
import { readSeed } from '../support/random.ts';
import { ServerProcess, type Measure } from './server-process.ts';
import { Traffic } from './traffic.ts';

const MEGABYTE = 2 ** 20;
// After this time V8 has compiled the code, including `stop` and `start`, and the heap has its final size.
const WARM_UP_PART = 0.3;
const REPORT_MS = 30_000;
const ALLOWED_GROWTH = { part: 0.05, bytes: MEGABYTE };
// A little longer than a lingering close may last.
const SETTLING_MS = 15_000;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '2' }, visitors: { type: 'string', default: '200' }, seed: { type: 'string' } } });
const ms = Number(values.minutes) * 60_000;
const seed = values.seed === undefined ? readSeed() : Number(values.seed);
const visitors = Number(values.visitors);
if (!(ms > 0 && visitors > 0 && seed >= 0)) throw new TypeError('--minutes, --visitors and --seed must be numbers');

const server = new ServerProcess();
const traffic = new Traffic(server, visitors, seed);
const began = Date.now();
const complaints: string[] = [];
try {
  await server.start();
  printLine(`seed ${seed}, ${visitors} visitors, ${values.minutes} minutes`);
  const fresh = await server.measure();
  printLine(`fresh: ${textOf(fresh)}`);
  const reporting = setInterval(() => void server.measure().then((measure) => printLine(`${traffic.tally}; ${textOf(measure)}`), () => {}), REPORT_MS);
  await runWithRestart(ms * WARM_UP_PART);
  const warm = await waitUntilSettled(fresh);
  printLine(`warm: ${textOf(warm)}`);
  await runWithRestart(ms * (1 - WARM_UP_PART));
  clearInterval(reporting);
  const end = await waitUntilSettled(fresh);
  printLine(`end: ${textOf(end)}`);
  complaints.push(...complaintsAbout(fresh, warm, end));
} catch (error) {
  complaints.push(String(error));
} finally {
  await server.end();
}
printLine(String(traffic.tally));
for (const complaint of [...complaints, ...traffic.tally.examples]) printLine(complaint);
if (complaints.length > 0) process.exitCode = 1;

/** Runs the clients, and stops and starts the server in the middle. */
async function runWithRestart(duration: number): Promise<void> {
  const restart = async (): Promise<void> => {
    await delay(duration / 2);
    await traffic.restartServer();
    printLine(`stopped and started; ${traffic.tally}`);
  };
  await Promise.all([traffic.run(duration), restart()]);
}

/** Measures after every handle that was opened since the start has closed, or has had time to close. */
async function waitUntilSettled(fresh: Measure): Promise<Measure> {
  const deadline = Date.now() + SETTLING_MS;
  for (;;) {
    const measure = await server.measure();
    if (handlesOf(measure) === handlesOf(fresh) || Date.now() > deadline) return measure;
    await delay(200);
  }
}

function complaintsAbout(fresh: Measure, warm: Measure, end: Measure): string[] {
  const { lost, wrong, requests, responses, stopped } = traffic.tally;
  const most = warm.heapUsed * (1 + ALLOWED_GROWTH.part) + ALLOWED_GROWTH.bytes;
  return [
    lost > 0 ? `${lost} requests were lost` : '',
    wrong > 0 ? `${wrong} responses were wrong` : '',
    requests !== responses + stopped + lost ? `${requests} requests are not ${responses} responses, ${stopped} that met the stop and ${lost} lost` : '',
    end.failures > 0 ? `the server logged ${end.failures} failures` : '',
    end.heapUsed > most ? `the heap has grown from ${megabytes(warm.heapUsed)} to ${megabytes(end.heapUsed)}` : '',
    handlesOf(end) === handlesOf(fresh) ? '' : `handles are left open: ${handlesOf(end)}, at first ${handlesOf(fresh)}`,
  ].filter((complaint) => complaint !== '');
}

function textOf(measure: Measure): string {
  return `heap ${megabytes(measure.heapUsed)}, RSS ${megabytes(measure.rss)}, handles ${handlesOf(measure)}`;
}

function handlesOf({ handles }: Measure): string {
  return Object.entries(handles).sort().map(([kind, count]) => `${kind} ${count}`).join(', ') || 'none';
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(2)} MB`;
}

function printLine(line: string): void {
  console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(5)} s  ${line}`);
}
