/** Calls of the client that the example has no operation for, to the server of `client-api.js`. For every engine and for a page. */

/** Returns the failures, or an empty list. The first argument is the module of the client. */
export async function findWrongCalls({ client, integerId, wait }, base) {
  const wrong = [];
  const equal = (what, actual, expected) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) wrong.push(`${what}: ${JSON.stringify(actual)}`);
  };
  const nameOf = (promise) => promise.then(() => 'resolved', ({ name }) => name);
  const api = client(base, { headers: async () => ({ Authorization: 'Bearer secret' }), timeoutMs: 20_000 });
  const pets = api('/pet', {}, { id: integerId });
  const settings = api.one('/settings');
  equal('create of a singleton', await settings.create({ name: 'Rex' }), undefined);
  equal('create', await pets.create({ name: 'Asp' }), 1);
  equal('list', await pets.list({ query: { tag: ['a b', 'c&d'] } }), ['a b', 'c&d']);
  equal('patch', await pets.patch(1, { legs: 0 }), { name: 'Asp', legs: 0 });
  equal('custom without a body', await pets.custom.count(), 1);
  equal('itemCustom', await pets.itemCustom.feed(1, 'hay'), [1, 'hay']);
  const photo = await pets.custom.photo(new Blob([new Uint8Array([0, 255])]), { raw: true });
  equal('raw', [...new Uint8Array(await photo.arrayBuffer())], [0, 255]);
  const dated = await pets.custom.dated();
  equal('values as JSON represents them', dated, { born: '2020-02-02T00:00:00.000Z', seen: [null] });
  equal('an abort', await nameOf(pets.custom.wait(undefined, { signal: AbortSignal.abort() })), 'AbortError');
  equal('a timeout before the response', await nameOf(pets.custom.wait(undefined, { timeoutMs: 50 })), 'TimeoutError');
  equal('a timeout beside a signal', await nameOf(pets.custom.wait(undefined, { timeoutMs: 50, signal: new AbortController().signal })), 'TimeoutError');
  const moved = await pets.custom.moved().then(() => 'resolved', ({ status }) => status);
  equal('a redirect', moved === 303 || moved === 0, true);
  equal('a redirect is not followed', await pets.custom.gets(), 0);
  const { headers } = await pets.custom.start(undefined, { raw: true });
  equal('a result that is waited for', await wait(pets, headers.get('location')), { name: 'Asp' });
  equal('and that is of a different origin', await nameOf(wait(pets, 'http://other.invalid/v1/job/1')), 'TypeError');
  return wrong;
}
