/** JSON Merge Patch: the appendix of RFC 7396, and the input of a patch. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergePatch } from '../../src/formats/index.ts';
import { applyPatch } from '../../src/formats/merge-patch.ts';
import { defineEndpoint, integerId, type ApiServer } from '../../src/index.ts';
import { message, readProblem, encodeUtf8 } from '../support/messages.ts';
import { send } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';

const appendix = suite('F10: the test cases of RFC 7396, appendix A');
for (const [original, patch, result] of [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  // Names of the language's own are ordinary properties.
  ['{}', '{"constructor":{"prototype":{"a":1}},"toString":1}', '{"constructor":{"prototype":{"a":1}},"toString":1}'],
  ['{"toString":1}', '{"toString":null,"hasOwnProperty":null}', '{}'],
] as const) {
  appendix(`${original} + ${patch} -> ${result}`, () => {
    const [target, change] = [JSON.parse(original), JSON.parse(patch)] as const;
    assert.is(JSON.stringify(applyPatch(target, change)), result);
    assert.equal([JSON.stringify(target), JSON.stringify(change)], [original, patch]);
  });
}
appendix('a stored "__proto__" stays a property, and sets no prototype', () => {
  const merged = applyPatch(JSON.parse('{"__proto__":{"a":1}}'), { b: 2 }) as { readonly a?: unknown };
  assert.is(JSON.stringify(merged), '{"__proto__":{"a":1},"b":2}');
  assert.is(merged.a, undefined);
});
appendix.run();

interface Pet { readonly name: string; readonly legs: number; readonly owner?: { readonly name: string } | undefined }

const Pet = {
  '~standard': {
    version: 1, vendor: 'tests',
    validate: (value: unknown) => {
      const { name, legs } = Object(value) as Partial<Pet>;
      if (typeof name !== 'string') return { issues: [{ message: 'no name', path: ['name'] }] };
      return Number.isInteger(legs) ? { value: value as Pet } : { issues: [{ message: 'no legs', path: ['legs'] }] };
    },
    types: undefined as { readonly input: Pet; readonly output: Pet } | undefined,
  },
} as const;

function declarePatch(stored: Pet[]): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/pet', defineEndpoint({
    id: integerId,
    patch: { input: mergePatch(Pet), run: async (id, change) => void (stored[id] = await change(stored[id]!)) },
  }));
}

const wire = suite('F10: a merge patch as the input of patch');
const ANT: Pet = { name: 'ant', legs: 6, owner: { name: 'Ann' } };
const MERGE = 'application/merge-patch+json';
const OTHER_TYPE = `The body must be ${MERGE} or application/json in UTF-8.`;
for (const [type, body, status, expected] of [
  [MERGE, '{"legs":5}', 204, { ...ANT, legs: 5 }],
  ['application/json', '{"legs":5}', 204, { ...ANT, legs: 5 }],
  [`${MERGE}; charset=UTF-8`, '{"owner":null}', 204, { name: 'ant', legs: 6 }],
  [MERGE, '{"owner":{"name":"Bob"}}', 204, { ...ANT, owner: { name: 'Bob' } }],
  [MERGE, '{}', 204, ANT],
  [MERGE, encodeUtf8('{"name":"фу"}'), 204, { ...ANT, name: 'фу' }],
  [`${MERGE}; charset=latin1`, '{}', 415, OTHER_TYPE],
  ['application/json-patch+json', '[]', 415, OTHER_TYPE],
  ['text/plain', '{}', 415, OTHER_TYPE],
  [MERGE, '{"legs":"six"}', 400, '#/legs'],
  [MERGE, '{"name":null}', 400, '#/name'],
  [MERGE, '1', 400, '#/name'],
  [MERGE, '{"legs":', 400, 'Bad arguments: the body is not JSON: it ends too early, at byte 8'],
  [MERGE, '', 400, 'Bad arguments: the body is empty'],
  [MERGE, '\xff', 400, 'Bad arguments: the body is not UTF-8'],
  [MERGE, '{"__proto__":{"legs":1}}', 400, 'Bad arguments: the body has a key named "__proto__"'],
  [MERGE, '{"owner":{"\\u005f_proto__":null}}', 400, 'Bad arguments: the body has a key named "__proto__"'],
  [MERGE, `${'{"owner":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 400, 'Bad arguments: the merge patch is nested too deeply'],
] as const) {
  wire(`${type} ${body.slice(0, 40)} -> ${status}`, async () => {
    const stored = [ANT];
    await serve(declarePatch(stored), async ({ port }) => {
      const response = await send(port, message('PATCH', '/v1/pet/0', body, [`Content-Type: ${type}`]));
      assert.is(response.status, status);
      assert.equal(stored[0], status === 204 ? expected : ANT);
      if (status === 204) return;
      const { detail, errors } = readProblem(response);
      if (String(expected).startsWith('#')) assert.is((errors as readonly { readonly pointer: string }[])[0]?.pointer, expected);
      else assert.is(detail, expected);
      for (const name of ['accept', 'accept-patch']) assert.is(response.headers.get(name), status === 415 ? `${MERGE}, application/json` : undefined);
    });
  });
}
for (const [body, status, errors] of [
  ['{"legs":"six"}', 422, [{ detail: 'no legs', pointer: '#/legs' }]],
  ['{"legs":', 400, [{ detail: 'the body is not JSON: it ends too early, at byte 8', pointer: '#' }]],
  ['{"legs":1,"legs":2}', 400, [{ detail: 'an object of the body has a key twice', pointer: '#' }]],
] as const) {
  wire(`${body}, with validationStatus 422 and uniqueKeys -> ${status}`, async () => {
    await serve(declarePatch([ANT]), async ({ port }) => {
      const problem = readProblem(await send(port, message('PATCH', '/v1/pet/0', body, [`Content-Type: ${MERGE}`])));
      assert.equal([problem.status, problem.errors], [status, errors]);
    }, { validationStatus: 422, uniqueKeys: true });
  });
}
wire('that is too long -> 413', async () => {
  await serve(declarePatch([ANT]), async ({ port }) => {
    const body = JSON.stringify({ name: 'x'.repeat(200) });
    assert.is((await send(port, message('PATCH', '/v1/pet/0', body, [`Content-Type: ${MERGE}`]))).status, 413);
  }, { limits: { bodyBytes: 100 } });
});
wire.run();
