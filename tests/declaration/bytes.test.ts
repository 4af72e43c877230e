/** The options and the types of bodies that `bytes` accepts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes } from '../../src/index.ts';
import { acceptsType } from '../../src/declaration/format.ts';

const types = suite('I1: the types of a body that is read as bytes');
for (const [given, contentType, isAccepted] of [
  [undefined, undefined, true],
  [undefined, 'text/plain', true],
  [undefined, 'no type', true],
  [[], 'text/plain', false],
  [['image/png'], 'image/png', true],
  [['image/png'], 'IMAGE/PNG; a=b', true],
  [['Image/PNG'], 'image/png', true],
  [['image/png'], 'image/jpeg', false],
  [['image/png'], 'image/png2', false],
  [['image/png'], 'image/png;;=', false],
  [['image/png'], undefined, false],
  [['image/*'], 'image/svg+xml', true],
  [['image/*'], 'imagery/png', false],
  [['image/*'], 'image', false],
  // A range is not a media type. Generated clients send it unless the type is configured.
  [['image/*'], 'image/*', false],
  [['image/*'], 'image/*; q=1', false],
  [['image/png', 'image/*'], 'IMAGE/*', false],
  [['text/csv', 'image/*'], 'text/csv; charset=utf-8', true],
  [['application/octet-stream'], undefined, true],
  [['application/*'], undefined, true],
] as const) {
  types(`${JSON.stringify(given)}: ${contentType} is ${isAccepted ? 'accepted' : 'rejected'}`, () => {
    assert.is(acceptsType(given === undefined ? bytes() : bytes({ types: given }), contentType), isAccepted);
  });
}
types.run();

const options = suite('the options of bytes');
for (const [given, message] of [
  [{ type: ['image/png'] }, 'unknown option options.type: did you mean types? It can be one of types'],
  [{ types: 'image/png' }, 'options.types must be a list of strings: image/png'],
  [{ types: ['image'] }, 'a type must be a media type, such as image/png or image/*: "image"'],
  [{ types: ['*/*'] }, 'a type must be a media type, such as image/png or image/*: "*/*"'],
  [{ types: ['text/plain; charset=utf-8'] }, 'a type must be a media type, such as image/png or image/*: "text/plain; charset=utf-8"'],
  [{ types: [1] }, 'options.types must be a list of strings: 1'],
] as const) {
  options(`${JSON.stringify(given)}: TypeError`, () => {
    const call = (): unknown => Reflect.apply(bytes, undefined, [given]);
    assert.throws(call, (thrown: unknown) => thrown instanceof TypeError && thrown.message === message);
  });
}
options('its result decodes nothing', () => {
  const { '~standard': { validate } } = bytes();
  assert.equal(validate('a'), { issues: [{ message: 'a format can only be the input or the output of an operation' }] });
});
options.run();
