/** The OpenAPI document of the example as the zoo serves it. */
import { makeZooSuite } from '../support/zoo-suite.ts';
import { assert, suite } from '../support/facts.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const document = makeZooSuite(suite('the document of the zoo'));
document('is served with an ETag, and not again to who has it', async ({ zoo }) => {
  const first = await zoo.request('GET', '/openapi.json');
  assert.equal([first.status, first.headers.get('Content-Type')], [200, 'application/json']);
  const tag = first.headers.get('ETag') ?? '';
  const second = await zoo.request('GET', '/openapi.json', undefined, { 'If-None-Match': tag });
  assert.equal([second.status, await second.text()], [304, '']);
});
document('has every route that the zoo prints, but for OPTIONS and mounts', async ({ zoo }) => {
  const routes = Array.from(zoo.infos.join('\n').matchAll(/^route: ([A-Z]+) (\S+)$/gm), ([, method, path = '']) => `${method} ${path.replaceAll(/:\w+/g, '{}')}`);
  const { paths } = await (await zoo.request('GET', '/openapi.json')).json() as Document;
  const described = Object.entries(paths).flatMap(([path, item]) => {
    return Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  });
  assert.equal(described.sort(), routes.filter((route) => !/^(?:OPTIONS|\*) /.test(route)).sort());
});
