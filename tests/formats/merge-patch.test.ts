/** JSON Merge Patch: the appendix of RFC 7396, and the input of a patch. */
import { mergePatch } from '../../src/formats/index.ts';
import { applyPatch } from '../../src/formats/merge-patch.ts';
import { defineEndpoint, integerId, type ApiServer } from '../../src/index.ts';
import { assert, facts, message, send, serve, suite, toText } from '../support/facts.ts';

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
const OTHER_TYPE = '415 The body must be application/merge-patch+json or application/json in UTF-8. | Accept: application/merge-patch+json, application/json | Accept-Patch: application/merge-patch+json, application/json';
const PROTO = '400 Bad arguments: the body has a key named "__proto__" @#';
for (const [type, body, response, expected = ANT] of [
  [MERGE, '{"legs":5}', '204', { ...ANT, legs: 5 }],
  ['application/json', '{"legs":5}', '204', { ...ANT, legs: 5 }],
  [`${MERGE}; charset=UTF-8`, '{"owner":null}', '204', { name: 'ant', legs: 6 }],
  [MERGE, '{"owner":{"name":"Bob"}}', '204', { ...ANT, owner: { name: 'Bob' } }],
  [MERGE, '{}', '204', ANT],
  [MERGE, '{"name":"фу"}', '204', { ...ANT, name: 'фу' }],
  [`${MERGE}; charset=latin1`, '{}', OTHER_TYPE],
  ['application/json-patch+json', '[]', OTHER_TYPE],
  ['text/plain', '{}', OTHER_TYPE],
  [MERGE, '{"legs":"six"}', '400 Bad arguments: no legs @#/legs'],
  [MERGE, '{"name":null}', '400 Bad arguments: no name @#/name'],
  [MERGE, '1', '400 Bad arguments: no name @#/name'],
  [MERGE, '{"legs":', '400 Bad arguments: the body is not JSON: it ends too early, at byte 8 @#'],
  [MERGE, '', '400 Bad arguments: the body is empty @#'],
  [MERGE, '{"__proto__":{"legs":1}}', PROTO],
  [MERGE, '{"owner":{"\\u005f_proto__":null}}', PROTO],
  [MERGE, `${'{"owner":'.repeat(1001)}1${'}'.repeat(1001)}`, '400 Bad arguments: the body is nested too deeply @#'],
] as const) {
  const stored = [ANT];
  facts(wire, declarePatch(stored), [['', `PATCH /v1/pet/0 ${body}\nContent-Type: ${type}`, response]], { after: () => assert.equal(stored, [expected]) });
}
wire('that is not UTF-8 -> 400', () => serve(declarePatch([ANT]), async ({ port }) => {
  assert.is(toText(await send(port, message('PATCH', '/v1/pet/0', '\xff', [`Content-Type: ${MERGE}`]))), '400 Bad arguments: the body is not UTF-8 @#');
}));
const STRICT = 'with validationStatus 422 and uniqueKeys';
facts(wire, declarePatch([ANT]), [
  [STRICT, `PATCH /v1/pet/0 {"legs":"six"}\nContent-Type: ${MERGE}`, '422 Bad arguments: no legs @#/legs'],
  [STRICT, `PATCH /v1/pet/0 {"legs":\nContent-Type: ${MERGE}`, '400 Bad arguments: the body is not JSON: it ends too early, at byte 8 @#'],
  [STRICT, `PATCH /v1/pet/0 {"legs":1,"legs":2}\nContent-Type: ${MERGE}`, '400 Bad arguments: an object of the body has a key twice @#'],
], { validationStatus: 422, uniqueKeys: true });
facts(wire, declarePatch([ANT]), [['that is too long', `PATCH /v1/pet/0 {"name":"${'x'.repeat(200)}"}\nContent-Type: ${MERGE}`, '413 The body must not be longer than 100 bytes. | Connection: close']], { limits: { bodyBytes: 100 } });
