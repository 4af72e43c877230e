/**
 * Calls the server of each framework with its typed client, and writes the outcomes to a file.
 *
 *   node call.js outcomes.json restpoint hono …
 */
import { writeFileSync } from 'node:fs';

const [, , output, ...names] = process.argv;

/** `fetch` with a count of its calls. Some of them, the first, get 503. */
function counting(unavailable) {
  const counted = { calls: 0 };
  const send = async (...request) => {
    counted.calls += 1;
    if (counted.calls > unavailable) return fetch(...request);
    return new Response('{}', { status: 503, headers: { 'Content-Type': 'application/json' } });
  };
  return { counted, send };
}

const kindOf = (value) => (value instanceof Date ? 'Date' : typeof value);

async function outcomesOf(client, url) {
  const { returned, property, strict, two: { named: batch }, repeated: { named: retry } } = client;
  const rejected = await client.rejected(url).then(() => 'returned', (error) => error.constructor.name);
  await returned?.call(url);
  const { counted: two, send } = counting(0);
  await client.two.calls(url, send);
  const { counted: repeated, send: sendAgain } = counting(1);
  await client.repeated.call(url, sendAgain).catch(() => {});
  const { text, at } = await client.note.read(url);
  return {
    rejected,
    returned: returned?.named,
    property: property && { by: property.by, holder: await property.holder(url) },
    at: kindOf(at),
    text: kindOf(text),
    typed: client.note.at,
    broken: await client.broken?.(url),
    strict: strict && { named: strict.named, status: await strict.status() },
    batch: { named: batch, requests: two.calls },
    retry: { named: retry, requests: repeated.calls },
    ticks: await client.ticks?.(url),
  };
}

/** That of restpoint alone. */
async function moreOf({ pagesOf, edited, toolsOf }, url) {
  return { pages: await pagesOf(url), edited: await edited(url), tools: await toolsOf(url) };
}

const all = {};
for (const name of names) {
  const module = await import(`./build/${name}.js`);
  if (module.client === undefined) continue;
  const { url } = await module.program.start();
  try {
    all[name] = { ...await outcomesOf(module.client, url), ...(name === 'restpoint' && await moreOf(module, url)) };
  } catch (cause) {
    throw new Error(`the client of ${name}`, { cause });
  }
}
writeFileSync(output, JSON.stringify(all));
// A PGlite sets the exit code.
process.exit(0);
