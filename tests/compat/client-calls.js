/** Calls of a client, for every engine and for a page: nothing here is Node's. Returns what is wrong, or an empty list. */

/** `client` and `codecs` are the modules of the package, `base` the server of `client-api.js`. */
export async function wrongCalls({ client, ProblemError }, { integerId }, base) {
  const wrong = [];
  const equal = (what, actual, expected) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) wrong.push(`${what}: ${JSON.stringify(actual)}`);
  };
  const failure = (promise) => promise.then(() => 'resolved', (error) => (error instanceof ProblemError ? [error.status, error.message] : error.name));
  const headers = async () => ({ Authorization: 'Bearer secret' });
  const at = { path: '/pet', id: integerId };
  const pets = client(base, { headers, timeoutMs: 20_000 })(at);
  equal('create', await pets.create({ name: 'Rex' }), 1);
  equal('list', await pets.list({ query: { tag: ['a b', 'c&d'] } }), ['a b', 'c&d']);
  equal('get', await pets.get(1), { name: 'Rex' });
  equal('update', await pets.update(1, { name: 'Asp' }), undefined);
  equal('patch', await pets.patch(1, { legs: 0 }), { name: 'Asp', legs: 0 });
  equal('custom', await pets.custom.count(), 1);
  equal('itemCustom', await pets.itemCustom.feed(1, 'hay'), [1, 'hay']);
  const photo = await pets.custom.photo(new Blob([new Uint8Array([0, 255])]), { raw: true });
  equal('raw', [...new Uint8Array(await photo.arrayBuffer())], [0, 255]);
  let tag;
  await pets.get(1, { onResponse: (response) => (tag = response.headers.get('etag')) });
  equal('onResponse', tag, '"1"');
  equal('delete', await pets.delete(1), undefined);
  equal('not found', await failure(pets.get(1)), [404, 'Not found.']);
  equal('not signed in', (await failure(client(base)(at).get(1)))[0], 401);
  equal('an abort', await failure(pets.custom.wait(undefined, { signal: AbortSignal.abort() })), 'AbortError');
  equal('a timeout', await failure(pets.custom.wait(undefined, { timeoutMs: 50 })), 'TimeoutError');
  equal('a timeout beside a signal', await failure(pets.custom.wait(undefined, { timeoutMs: 50, signal: new AbortController().signal })), 'TimeoutError');
  equal('an id that a URL folds', await failure(client(base)({ ...at, id: { format: String } }).get('..')), 'TypeError');
  equal('an await of custom', await pets.custom === pets.custom, true);
  const moved = await pets.custom.moved().then(() => 'resolved', ({ status }) => status);
  equal('a redirect', moved === 303 || moved === 0, true);
  return wrong;
}
