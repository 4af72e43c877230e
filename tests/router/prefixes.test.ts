/** Routes that cover everything below them. The requests that mounts take are in tests/server/mounts.test.ts. */
import { Prefixes } from '../../src/router/router.ts';
import { assert, suite } from '../support/facts.ts';

function prefixes(...routes: string[]): Prefixes<string> {
  const table = new Prefixes<string>('GET');
  for (const route of routes) table.insert(table.check(route), `value of ${route}`);
  return table;
}

const found = suite('the prefix that covers a path');
for (const [path, route] of [
  ['/files', '/files'], ['/files/', '/files'], ['/files/a/b', '/files'], ['/files/deep', '/files/deep'], ['/files/deep/a', '/files/deep'],
  ['/files/deeper', '/files'], ['/filesX', undefined], ['/file', undefined], ['//files', undefined], ['', undefined],
] as const) {
  found(`${path}: ${route}`, () => {
    const value = prefixes('/files', '/files/deep').find(path);
    assert.is(value, route === undefined ? undefined : `value of ${route}`);
  });
}
found('/ covers every path that no other covers', () => {
  assert.is(prefixes('/', '/files').find('/a'), 'value of /');
  assert.is(prefixes('/', '/files').find('/files/a'), 'value of /files');
});
found('a table begins empty', () => {
  assert.is(prefixes().isEmpty, true);
  assert.is(prefixes('/').isEmpty, false);
});

const rejected = suite('a prefix that is rejected');
rejected('a route that is taken: the message names both', () => {
  assert.throws(() => prefixes('/files', '/files'), (error: unknown) => {
    return error instanceof TypeError && error.message === 'route GET /files conflicts with GET /files';
  });
});
rejected('a malformed route', () => assert.throws(() => prefixes('files'), (error: unknown) => error instanceof TypeError));
