/** The path of a new item, from its id. */
import { Endpoint } from '../../src/endpoint/endpoint.ts';
import { stringId, wildcardId } from '../../src/declaration/id-codec.ts';
import { checkServerOptions } from '../../src/server/settings/server-options.ts';
import { assert, suite } from '../support/facts.ts';

const SETTINGS = checkServerOptions({ logger: { info: () => {}, error: () => {} } });
const SPARSE = { ...wildcardId, emptySegments: true };
const LONGEST = 'x'.repeat(65_536);

const locations = suite('the path of a new item');
for (const [id, path, formatted, expected] of [
  [stringId, '/pet', 'a b', '/pet/a%20b'],
  [stringId, '/pet/', 'a/b', '/pet/a%2Fb'],
  [stringId, '/pet', '..', undefined],
  [stringId, '/pet', LONGEST, `/pet/${LONGEST}`],
  [stringId, '/pet', `${LONGEST}x`, undefined],
  [wildcardId, '/pet', 'a/b', '/pet/a/b'],
  [wildcardId, '/pet', 'a//b', undefined],
  [SPARSE, '/pet', '/a', '/pet//a'],
  // A reference that begins with two slashes names a host.
  [SPARSE, '/', '/evil.example', undefined],
] as const) {
  const title = `${path} and ${formatted.slice(0, 20)}${formatted.length > 20 ? `… (${formatted.length})` : ''} -> ${expected?.slice(0, 20)}`;
  locations(title, () => {
    const endpoint = new Endpoint('', '/pet', { id, schema: String, create: (name: string) => name, get: (name: string) => name }, SETTINGS);
    assert.is(endpoint.formatLocation(path, formatted), expected);
  });
}
