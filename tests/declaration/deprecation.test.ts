/** The headers of a deprecated operation. */
import { makeDeprecationHeaders } from '../../src/declaration/deprecation.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const SINCE = '2026-01-01T00:00:00.999Z';

const deprecation = suite('a deprecation');
for (const [value, headers] of [
  [undefined, []],
  [true, []],
  [{ since: SINCE }, ['Deprecation', '@1767225600']],
  [{ since: SINCE, sunset: SINCE }, ['Deprecation', '@1767225600', 'Sunset', 'Thu, 01 Jan 2026 00:00:00 GMT']],
  [{ since: SINCE, link: 'https://a.example' }, ['Deprecation', '@1767225600', 'Link', '<https://a.example>; rel="deprecation"']],
] as const) {
  deprecation(`${JSON.stringify(value)} -> ${JSON.stringify(headers)}`, () => assert.equal(makeDeprecationHeaders(value, 'at'), headers));
}
deprecation('a sunset a millisecond before -> TypeError', () => {
  const message = 'at.sunset must not be before at.since';
  const sunset = '2026-01-01T00:00:00.998Z';
  assert.throws(() => makeDeprecationHeaders({ since: SINCE, sunset }, 'at'), isTypeError(message));
});
