/** pino as the server's logger, by the recipe of docs/logging.md: a failure has message, stack and cause. A request has a line with its id. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { checking } from './checks.js';
import { runLogged } from './logged.js';
import { withScratch, printedBy, listPrograms, withRunning } from './shown-programs.js';

const PAGE = readFileSync(new URL('../../docs/logging.md', import.meta.url), 'utf8');
/** What the page leaves out of each line. */
const LEFT_OUT = ['time', 'pid', 'hostname', 'err'];

function linesIn(text) {
  return text.split('\n').filter((line) => line.startsWith('{')).map((line) => {
    const entries = Object.entries(JSON.parse(line)).filter(([name]) => !LEFT_OUT.includes(name));
    return JSON.stringify(Object.fromEntries(entries));
  });
}

await checking('pino', async (check) => {
  const lines = await runLogged('pino');
  const [first, second] = lines.filter(({ level }) => level === 50);
  await check('each route has a line', async () => {
    const routes = lines.filter(({ level }) => level === 30).map(({ msg }) => msg);
    assert.deepEqual(routes, ['route: GET /v1/pet', 'route: POST /v1/pet/feed', 'route: OPTIONS /v1/pet', 'route: OPTIONS /v1/pet/feed']);
  });
  await check('a failure says which request it was of, and has its stack', async () => {
    const text = 'GET /v1/pet (request 7f3c): Internal error: the keeper is ill';
    assert.equal(first.msg, text);
    assert.equal(first.err.message, text);
    assert.match(first.err.stack, /^Error: GET \/v1\/pet \(request 7f3c\): .*\n +at /);
  });
  await check('its causes are whole, each with its type, message and stack', async () => {
    const { cause } = first.err;
    assert.deepEqual([cause.type, cause.message], ['Error', 'the keeper is ill']);
    assert.match(cause.stack, /failing\.js:\d+/);
    assert.deepEqual([cause.cause.type, cause.cause.message], ['RangeError', 'too much cake']);
    assert.match(cause.cause.stack, /failing\.js:\d+/);
  });
  await check('a string that was thrown is in the message, and an id with a quote is not', async () => {
    assert.equal(second.msg, 'POST /v1/pet/feed: Internal error: only a string');
  });
  await check('pino-ids.ts: the lines of a request are those of the page', async () => {
    const program = listPrograms('logging.md').find(({ name }) => name === 'pino-ids.ts');
    const [, shown] = /^```text\n(\{"level".*?)^```$/ms.exec(PAGE);
    await withScratch((folder) => withRunning(program, folder, async (running) => {
      await printedBy(program.commands, running);
      const [log] = await running.printed(/^[^]*"requestId":"7f3c"[^\n]*"statusCode".*$/m);
      assert.deepEqual(linesIn(log).filter((line) => line.includes('"requestId":"7f3c"')), shown.trimEnd().split('\n'));
    }));
  });
});
