/** Calls of every kind of operation, from a page of a different origin to the server of `cors-api.js`. `options` are those of the client. */

/** Returns the failures, or an empty list. The first argument is the module of the client. */
export async function findWrongCorsCalls({ client, integerId }, base, options) {
  const wrong = [];
  const equal = (what, actual, expected) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) wrong.push(`${what}: ${JSON.stringify(actual)}`);
  };
  const statusOf = (promise) => promise.then(() => 'resolved', ({ name, status }) => `${name} ${status}`);
  const api = client(`${base}/v1`, { timeoutMs: 20_000, ...options });
  const pets = api('/pet', {}, { id: integerId });

  equal('create', await pets.create({ name: 'Rex' }), 1);
  equal('list', await pets.list({ query: { limit: 1 } }), [1]);
  const all = [];
  for await (const id of pets.each({ query: { limit: 1 } })) all.push(id);
  equal('each, by Link', all, [1, 2]);
  const { value, etag } = await pets.get(1, { safe: true });
  equal('get, and its ETag', [value, etag], [{ name: 'Rex' }, '"1"']);
  equal('HEAD', (await fetch(`${base}/v1/pet/1`, { method: 'HEAD', credentials: options.credentials ?? 'same-origin', headers: options.headers ?? {} })).status, 200);
  equal('update', await pets.update(1, { name: 'Max' }, { ifMatch: etag }), undefined);
  equal('a version that is outdated', await statusOf(pets.update(1, { name: 'Tom' }, { ifMatch: etag })), 'ProblemError 412');
  equal('patch', await pets.patch(1, { legs: 3 }, { headers: { 'X-Tenant': 'a' } }), undefined);
  equal('edit', (await pets.edit(1, (pet) => ({ ...pet, legs: 4 }))) !== null, true);
  equal('custom', await pets.custom.count(), 1);
  const paid = await pets.custom.pay({ euros: 7 }, { idempotencyKey: 'abc', raw: true });
  const again = await pets.custom.pay({ euros: 7 }, { idempotencyKey: 'abc', raw: true });
  equal('a key, and its replay', [await paid.json(), await again.json(), again.headers.get('idempotent-replayed')], [1, 1, 'true']);
  equal('itemCustom', await pets.itemCustom.feed(1, 'hay'), [1, 'hay']);
  const photo = await api.one('/photo').get({ raw: true, headers: { Range: 'bytes=1-2', 'If-Range': '"p"' } });
  equal('a part', [photo.status, await photo.text(), photo.headers.get('content-range')], [206, 'bc', 'bytes 1-2/4']);
  const twice = async (path) => [await api.one(path).get(), await api.one(path).get()];
  equal('a response of the cache', new Set(await twice('/kept')).size, 1);
  equal('a 304, for which the browser gives the stored body', await twice('/asked'), ['the same', 'the same']);
  const told = [];
  for await (const { data } of api.one('/news').get()) {
    told.push(data);
    if (told.length === 2) break;
  }
  equal('events, after a reconnection', told, ['after nothing', 'after 7']);
  equal('an EventSource', await new Promise((resolve) => {
    const source = new EventSource(`${base}/v1/told`, { withCredentials: options.credentials === 'include' });
    source.onmessage = ({ data }) => resolve(data);
    source.onerror = () => resolve('error');
  }), '"open"');
  equal('delete', await pets.delete(1), undefined);
  equal('a missing item', await statusOf(pets.get(1)), 'ProblemError 404');
  equal('a body that is rejected', await statusOf(pets.create({})), 'ProblemError 400');
  equal('a body that is too long', await statusOf(pets.create({ name: 'x'.repeat(200_000) })), 'ProblemError 413');
  equal('a failure', await statusOf(pets.custom.fail()), 'ProblemError 500');
  equal('an unknown path', (await fetch(`${base}/nothing`)).status, 404);
  equal('a mount', await (await fetch(`${base}/files`, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: 'a' })).text(), 'file');
  const nobody = client(`${base}/v1`, { credentials: 'omit' })('/pet', {}, { id: integerId });
  equal('a caller who is not known', await statusOf(nobody.get(1)), 'ProblemError 401');
  const simple = await fetch(`${base}/v1/pet/count`, { method: 'POST', credentials: options.credentials ?? 'same-origin', headers: options.headers ?? {} });
  equal('a POST without a type', simple.status, 200);
  const tools = await fetch(`${base}/mcp`, {
    method: 'POST', headers: { 'Content-Type': 'application/json', 'Mcp-Protocol-Version': '2025-11-25' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  equal('a message of MCP', (await tools.json()).result, {});
  return wrong;
}

/** Sends requests that a browser must not let a page of an origin that is not listed send, or read. Returns those that it could. */
export async function readableCalls(base) {
  const readable = [];
  for (const [path, init] of [
    ['/v1/told', {}], ['/v1/pet', { credentials: 'include' }], ['/v1/pet/1', { method: 'DELETE' }], ['/v1/pet', { headers: { Authorization: 'Bearer secret' } }],
    ['/v1/pet', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }], ['/v1/pet/count', { method: 'POST' }], ['/files', {}], ['/nothing', {}],
  ]) {
    await fetch(base + path, init).then(({ status }) => readable.push(`${path} ${status}`), () => {});
  }
  return readable;
}
