/**
 * The items of NDJSON, against a reader that parses one line at a time: random bodies of whole, broken and empty lines, cut at random
 * places.
 */
import { parseJson } from '../../src/http/json.ts';
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
// Long enough for all lines of a body, or for few of them.
const LIMITS = [65_536, 12, 3] as const;

interface Read {
  readonly items: readonly unknown[];
  /** The status and the pointer of the error. */
  readonly error?: readonly [status: number, pointer: unknown];
}

/** Reads the items as `ndjson` does, one line at a time. */
function readEachLine(body: Buffer, lineBytes: number, uniqueKeys: boolean): Read {
  const items: unknown[] = [];
  for (let start = 0, end = 0; start < body.length; start = end + 1) {
    end = body.indexOf(LF, start);
    if (end === -1) end = body.length;
    const line = body.subarray(start, end);
    if (line.length > lineBytes) return { items, error: [413, undefined] };
    const content = line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
    if (content.length === 0) continue;
    const value = parseJson(content, uniqueKeys);
    if (value instanceof Rejection) return { items, error: [400, `#/${items.length}`] };
    items.push(value);
  }
  return { items };
}

async function readItems(chunks: readonly Buffer[], lineBytes: number, uniqueKeys: boolean): Promise<Read> {
  const format = ndjson((value: unknown) => value, { lineBytes });
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
const makeLine = (): string => (random.below(12) === 0 ? random.pick(BROKEN) : random.pick(PARTS)) + (random.below(4) === 0 ? '\r' : '');
equal(`in random bodies (RESTPOINT_SEED=${seed})`, async () => {
  let rejected = 0;
  for (let at = 0; at < readCaseCount(3000); at += 1) {
    const lines = random.list(0, 12, () => (random.below(5) === 0 ? '' : makeLine()));
    const body = Buffer.from(lines.join('\n') + (random.below(2) === 0 ? '\n' : ''), random.below(6) === 0 ? 'latin1' : 'utf8');
    const cuts = random.list(0, 4, () => random.below(body.length + 1)).sort((a, b) => a - b);
    const chunks = [0, ...cuts].map((cut, index) => body.subarray(cut, cuts[index] ?? body.length));
    const [lineBytes, uniqueKeys] = [random.pick(LIMITS), random.below(2) === 0];
    const expected = readEachLine(body, lineBytes, uniqueKeys);
    const what = JSON.stringify([chunks.map((chunk) => chunk.toString('latin1')), lineBytes, uniqueKeys]);
    const read = await readItems(chunks, lineBytes, uniqueKeys);
    assert.equal(read.error, expected.error, what);
    assert.equal(read.items, expected.items, what);
    rejected += Number(expected.error !== undefined);
  }
  assert.ok(rejected > 0);
});
equal('in one chunk that is longer than what is parsed at once', async () => {
  const line = Buffer.from('{"legs":[1,2,3,4],"name":"Rex"}\n');
  for (const [body, lineBytes] of [
    [Buffer.concat(Array<Buffer>(10_000).fill(line)), 65_536],
    [Buffer.concat([line, Buffer.from(`"${'a'.repeat(200_000)}"\n`), line]), 200_002],
  ] as const) {
    assert.equal(await readItems([body], lineBytes, true), readEachLine(body, lineBytes, true));
  }
});
equal('and the chunks stay as they are', async () => {
  const chunk = Buffer.from('1\n\n2\n');
  await readItems([chunk], 100, false);
  assert.is(chunk.toString(), '1\n\n2\n');
});
equal('and the pointer of a line that is not rejected is never made', () => {
  const options = { get at(): string { throw new Error('it was made'); } };
  assert.is(createDecoder((value: unknown) => value)(7, options), 7);
});
