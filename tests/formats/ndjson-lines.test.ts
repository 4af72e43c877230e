/**
 * The items of NDJSON, against a reader that parses one line at a time: random bodies of whole, broken and empty lines, cut at random
 * places.
 */
import { parseJsonBody } from '../../src/http/json.ts';
import { Rejection } from '../../src/errors/problem.ts';
import { createDecoder, ndjson } from '../../src/formats/index.ts';
import { isApiError } from '../../src/errors/api-error.ts';
import { Random, readCaseCount, readSeed } from '../support/random.ts';
import { assert, suite } from '../support/facts.ts';

const PARTS = [
  '1', '-0.5', 'null', '""', '"é"', '"a,b"', '"\\""', '"\\\\"', '"]"', '[]', '{}', '[1,2]', '{"a":[1]}', '{"a":1,"a":2}', '12345678901234567890', '"__proto__"',
] as const;
const BROKEN = ['1,2', '[1', '2]', '][', '"a', 'b"', '"\\', '{"a":', '1}', ',', ' ', '\xa0', '1 2', '{"__proto__":1}', '\r', '[}', ']', '1],[2', '\x00', '\ufeff1'] as const;
const LF = 0x0a;
const MAX_LINE = 65_536;
const makeLong = (length: number): string => `"${'a'.repeat(length - 2)}"`;

interface Read {
  readonly items: readonly unknown[];
  /** The status and the pointer of the error. */
  readonly error?: readonly [status: number, pointer: unknown];
}

/** Reads the items as `ndjson` does, one line at a time. */
function readEachLine(body: Buffer, uniqueKeys: boolean): Read {
  const items: unknown[] = [];
  for (let start = 0, end = 0; start < body.length; start = end + 1) {
    end = body.indexOf(LF, start);
    if (end === -1) end = body.length;
    const line = body.subarray(start, end);
    if (line.length > MAX_LINE) return { items, error: [413, undefined] };
    const content = line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
    if (content.length === 0) continue;
    const value = parseJsonBody(content, uniqueKeys);
    if (value instanceof Rejection) return { items, error: [400, `#/${items.length}`] };
    items.push(value);
  }
  return { items };
}

async function readItems(chunks: readonly Buffer[], uniqueKeys: boolean): Promise<Read> {
  const format = ndjson((value: unknown) => value);
  const body = (async function* () { yield* chunks; })();
  const items: unknown[] = [];
  try {
    const iterable = await format.decode?.(body as never, undefined as never, { uniqueKeys, validationStatus: 400 } as never);
    for await (const item of iterable as AsyncIterable<unknown>) items.push(item);
    return { items };
  } catch (thrown) {
    if (!isApiError(thrown)) throw thrown;
    const { errors } = thrown.extensions as { readonly errors?: readonly { readonly pointer: string }[] };
    return { items, error: [thrown.status, errors?.[0]?.pointer] };
  }
}

const equal = suite('NDJSON is read as each of its lines alone');
const seed = readSeed();
const random = new Random(seed);
const makeShort = (): string => (random.below(12) === 0 ? random.pick(BROKEN) : random.pick(PARTS));
const makeLine = (): string => (random.below(100) === 0 ? makeLong(MAX_LINE + random.below(2)) : makeShort()) + (random.below(4) === 0 ? '\r' : '');
equal(`in random bodies (RESTPOINT_SEED=${seed})`, async () => {
  let rejected = 0;
  for (let at = 0; at < readCaseCount(3000); at += 1) {
    const lines = random.list(0, 12, () => (random.below(5) === 0 ? '' : makeLine()));
    const body = Buffer.from(lines.join('\n') + (random.below(2) === 0 ? '\n' : ''), random.below(6) === 0 ? 'latin1' : 'utf8');
    const cuts = random.list(0, 4, () => random.below(body.length + 1)).sort((a, b) => a - b);
    const chunks = [0, ...cuts].map((cut, index) => body.subarray(cut, cuts[index] ?? body.length));
    const uniqueKeys = random.below(2) === 0;
    const expected = readEachLine(body, uniqueKeys);
    const what = JSON.stringify([chunks.map((chunk) => chunk.toString('latin1')), uniqueKeys]);
    const read = await readItems(chunks, uniqueKeys);
    assert.equal(read.error, expected.error, what);
    assert.equal(read.items, expected.items, what);
    rejected += Number(expected.error !== undefined);
  }
  assert.ok(rejected > 0);
});
equal('in one chunk that is longer than what is parsed at once', async () => {
  const line = Buffer.from('{"legs":[1,2,3,4],"name":"Rex"}\n');
  for (const middle of [Buffer.concat(Array<Buffer>(10_000).fill(line)), ...[0, 1].map((over) => Buffer.from(`${makeLong(MAX_LINE + over)}\n`))]) {
    const body = Buffer.concat([line, middle, line]);
    assert.equal(await readItems([body], true), readEachLine(body, true));
  }
});
equal('and the chunks stay as they are', async () => {
  const chunk = Buffer.from('1\n\n2\n');
  await readItems([chunk], false);
  assert.is(chunk.toString(), '1\n\n2\n');
});
equal('and the pointer of a line that is not rejected is never made', () => {
  const options = { get at(): string { throw new Error('it was made'); } };
  assert.is(createDecoder((value: unknown) => value)(7, options), 7);
});
