/**
 * Calls of the client to the example, for every engine and for a page: nothing here is Node's. Each has the rule that it shows:
 *
 *   place      a client is made of a path, and of the codecs of its ids and parameters
 *   calls      arguments, options and results
 *   failures   the error of a call, and that each request is sent once
 *   options    those of the client, and texts that a URL would fold away
 *   await      `custom` and `itemCustom` are not promises
 */
export const RULES = ['place', 'calls', 'failures', 'options', 'await'];

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255];
const ARTIS = { name: 'Artis', city: 'Amsterdam' };
const REX = { name: 'Rex', legs: 4, lethal: false };
const MAX_MS = 20_000;

/** The state of all calls: clients, and the requests that they have sent. */
export function zooClients({ client, ProblemError }, { integerId, stringId }, base, token) {
  const authorization = `Bearer ${token}`;
  const sent = [];
  const spying = (url, init) => {
    sent.push(init);
    return fetch(url, init);
  };
  const api = client(base, { headers: async () => ({ authorization }), timeoutMs: MAX_MS, fetch: spying });
  const places = {
    animal: { path: '/animal', id: stringId },
    zoo: { path: '/zoo', id: integerId },
    pet: { path: '/zoo/:zoo/pet', id: integerId, params: { zoo: integerId } },
    csv: { path: '/zoo/:zoo/pet.csv', params: { zoo: integerId } },
    photo: { path: '/zoo/:zoo/pet/:pet/photo', params: { zoo: integerId, pet: integerId } },
    event: { path: '/event' },
    me: { path: '/keeper/me' },
  };
  const failure = (promise) => promise.then(() => ({ status: 'none' }), (error) => error);
  const nameOf = async (promise) => (await failure(promise)).name;
  const sentBy = async (call) => {
    sent.length = 0;
    await failure(Promise.resolve(call()));
    return [...sent];
  };
  return { client, ProblemError, base, authorization, api, places, failure, nameOf, sentBy, pets: api(places.pet)({ zoo: 1 }) };
}

function thrownBy(call) {
  try {
    call();
    return 'nothing';
  } catch ({ name }) {
    return name;
  }
}

const bytesOf = async (response) => [...new Uint8Array(await response.arrayBuffer())];
const abortAfter = (controller) => setTimeout(() => controller.abort(), 50);

/** In their order: the rule, the called function, the call, and its result. */
export const zooCalls = [
  ['place', 'create, at a path without parameters', ({ api, places }) => api(places.zoo).create(ARTIS), 2],
  ['place', 'create, at a path with a parameter', ({ pets }) => pets.create({ ...REX, name: 'Asp' }), 2],
  ['place', 'a base that ends with a slash', ({ client, base, places }) => client(`${base}/`)(places.zoo).get(2), { id: 2, ...ARTIS }],
  ['place', 'an id that needs escapes', async ({ api, places }) => (await api(places.animal).get('a/b c?')).name, 'a/b c?'],
  ['place', 'parameters without codecs', ({ api, places }) => thrownBy(() => api({ ...places.pet, params: undefined })), 'TypeError'],
  ['place', 'codecs of other parameters', ({ api, places }) => thrownBy(() => api({ ...places.pet, path: '/pet' })), 'TypeError'],

  ['calls', 'list', ({ api, places }) => api(places.zoo).list(), [{ id: 1, name: 'The zoo', city: 'Utrecht' }, { id: 2, ...ARTIS }]],
  ['calls', 'list with a query', ({ pets }) => pets.list({ query: { after: 1, limit: undefined } }), [{ id: 2, ...REX, name: 'Asp', eaten: 0 }]],
  ['calls', 'list with URLSearchParams', async ({ pets }) => (await pets.list({ query: new URLSearchParams('limit=1') })).length, 1],
  ['calls', 'list, with a list in the query', async ({ pets, failure }) => (await failure(pets.list({ query: { limit: [1, 2] } }))).status, 400],
  ['calls', 'get', ({ pets }) => pets.get(1), { id: 1, ...REX, eaten: 0 }],
  ['calls', 'get of a singleton', ({ api, places }) => api(places.me).get(), { name: 'head keeper' }],
  ['calls', 'update', ({ pets }) => pets.update(2, { ...REX, name: 'Boa' }), undefined],
  ['calls', 'patch', ({ pets }) => pets.patch(2, { legs: 0, lethal: undefined }), undefined],
  ['calls', 'custom', ({ pets }) => pets.custom.search({ name: 'oa' }), [{ id: 2, ...REX, name: 'Boa', legs: 0, eaten: 0 }]],
  ['calls', 'itemCustom', ({ pets }) => pets.itemCustom.feed(2, { grams: 5 }), { name: 'Boa', eaten: 5 }],
  ['calls', 'text', ({ api, places }) => api(places.csv)({ zoo: 2 }).get(), 'id,name,legs,lethal,eaten\r\n'],
  ['calls', 'bytes, sent', ({ api, places }) => {
    return api(places.photo)({ zoo: 1, pet: 1 }).update(new Uint8Array(PNG), { headers: { 'Content-Type': 'image/png' } });
  }, undefined],
  ['calls', 'raw', async ({ api, places }) => bytesOf(await api(places.photo)({ zoo: 1, pet: 1 }).get({ raw: true })), PNG],
  ['calls', 'delete of a singleton', ({ api, places }) => api(places.photo)({ zoo: 1, pet: 1 }).delete(), undefined],
  ['calls', 'onResponse', async ({ pets }) => {
    let link;
    await pets.list({ query: { limit: 1 }, onResponse: ({ headers }) => (link = headers.get('link')) });
    return link;
  }, '<?limit=1&after=1>; rel="next"'],
  ['calls', 'onResponse of a stream, before its end', async ({ api, places, nameOf }) => {
    const controller = new AbortController();
    let type;
    const onResponse = ({ headers }) => {
      type = headers.get('content-type');
      controller.abort();
    };
    return [await nameOf(api(places.event).get({ query: { after: 0 }, signal: controller.signal, onResponse })), type];
  }, ['AbortError', 'text/event-stream']],
  ['calls', 'a stream as text', async ({ api, places }) => {
    return (await api(places.event).get({ query: { after: 0, limit: 2 } })).match(/^event: .*$/gm);
  }, ['event: arrived', 'event: fed']],
  ['calls', 'a stream, raw', async ({ api, places }) => {
    const { body } = await api(places.event).get({ query: { after: 1 }, raw: true });
    const reader = body.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return new TextDecoder().decode(value).split('\n')[0];
  }, 'id: 2'],
  ['calls', 'delete', ({ pets }) => pets.delete(2), undefined],

  ['failures', 'a problem', async ({ pets, failure, ProblemError }) => {
    const error = await failure(pets.get(2));
    return [error instanceof ProblemError, error.name, error.message.replace(/^.*? -> /, ''), error.status, error.problem, await error.response.text()];
  }, [true, 'ProblemError', '404: Not found.', 404, { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' },
    '{"type":"about:blank","title":"Not Found","status":404,"detail":"Not found."}']],
  ['failures', 'what a schema refuses', async ({ pets, failure }) => (await failure(pets.itemCustom.feed(1, { grams: 0 }))).problem.errors,
    [{ detail: 'grams: expected an integer from 1 to 1000000', pointer: '#/grams' }]],
  ['failures', 'a conflict', async ({ api, places, failure }) => (await failure(api(places.zoo).create(ARTIS))).problem.detail, 'another zoo has this name'],
  ['failures', 'nobody is signed in', async ({ client, base, places, failure }) => {
    const { status, response } = await failure(client(base)(places.zoo).delete(2));
    return [status, response.headers.get('www-authenticate')];
  }, [401, 'Bearer realm="zoo"']],
  ['failures', 'an answer without a problem', async ({ api, places, failure }) => (await failure(api(places.animal).delete('ant'))).problem,
    { type: 'about:blank', title: 'Method Not Allowed', status: 405 }],
  ['failures', 'a signal that has aborted', ({ pets, nameOf }) => nameOf(pets.get(1, { signal: AbortSignal.abort() })), 'AbortError'],
  ['failures', 'a signal that aborts', ({ api, places, nameOf }) => {
    const controller = new AbortController();
    abortAfter(controller);
    return nameOf(api(places.event).get({ signal: controller.signal }));
  }, 'AbortError'],
  ['failures', 'a timeout', ({ api, places, nameOf }) => nameOf(api(places.event).get({ timeoutMs: 50 })), 'TimeoutError'],
  ['failures', 'a timeout beside a signal', ({ api, places, nameOf }) => {
    return nameOf(api(places.event).get({ timeoutMs: 50, signal: new AbortController().signal }));
  }, 'TimeoutError'],
  ['failures', 'no server: as with fetch itself', async ({ client, places, nameOf }) => {
    const nobody = 'http://127.0.0.1:9';
    return await nameOf(client(nobody)(places.zoo).list()) === await nameOf(fetch(`${nobody}/zoo`));
  }, true],
  ['failures', 'a refused request is sent once', async ({ api, places, pets, sentBy }) => {
    const calls = [() => pets.get(2), () => api(places.zoo).create(ARTIS), () => api(places.animal).delete('ant'), () => pets.itemCustom.feed(2, { grams: 1 })];
    const counts = [];
    for (const call of calls) counts.push((await sentBy(call)).length);
    return counts;
  }, [1, 1, 1, 1]],
  ['failures', 'each POST of JSON says so, whoever sends it', async ({ pets, sentBy }) => {
    const calls = [() => pets.create(REX), () => pets.custom.search({ name: 'R' }), () => pets.itemCustom.feed(1, { grams: 1 }), () => pets.custom.none()];
    const types = [];
    for (const call of calls) types.push((await sentBy(call))[0].headers.get('content-type'));
    return types;
  }, Array(4).fill('application/json')],

  ['options', 'headers: a value', ({ client, base, places, authorization }) => client(base, { headers: { authorization } })(places.me).get(), { name: 'head keeper' }],
  ['options', 'headers: Headers', ({ client, base, places, authorization }) => client(base, { headers: new Headers({ authorization }) })(places.me).get(), { name: 'head keeper' }],
  ['options', 'headers: a function that is called for each request', async ({ client, base, places, authorization }) => {
    let calls = 0;
    const me = client(base, { headers: () => (calls++ === 0 ? {} : { authorization }) })(places.me);
    return [await me.get().catch(({ status }) => status), await me.get(), calls];
  }, [401, { name: 'head keeper' }, 2]],
  ['options', 'headers of a call replace those of the client', async ({ api, places, failure }) => {
    return (await failure(api(places.me).get({ headers: { Authorization: 'Bearer of-somebody-else-here' } }))).status;
  }, 401],
  ['options', 'timeoutMs, and that of a call in its place', async ({ client, base, places, nameOf }) => {
    const events = client(base, { timeoutMs: 50 })(places.event);
    return [await nameOf(events.get()), (await events.get({ query: { after: 0, limit: 1 }, timeoutMs: MAX_MS })).slice(0, 5)];
  }, ['TimeoutError', 'id: 1']],
  ['options', 'credentials', async ({ client, base, places }) => {
    const seen = [];
    const spying = (url, init) => {
      seen.push(init.credentials);
      return fetch(url, { ...init, credentials: 'omit' });
    };
    for (const credentials of ['include', 'omit', undefined]) await client(base, { fetch: spying, credentials })(places.zoo).get(1);
    return seen.map(String);
  }, ['include', 'omit', 'undefined']],
  ['options', 'ids that a URL would fold away', ({ api, places, nameOf }) => {
    return Promise.all(['', '.', '..'].map((id) => nameOf(api({ ...places.animal, id: { format: String } }).get(id))));
  }, Array(3).fill('TypeError')],
  ['options', 'parameters that a URL would fold away', ({ api, places }) => {
    return ['', '.', '..'].map((zoo) => thrownBy(() => api({ ...places.csv, params: { zoo: { format: String } } })({ zoo })));
  }, Array(3).fill('TypeError')],

  ['await', 'custom and itemCustom', async ({ pets, sentBy }) => {
    const sent = await sentBy(async () => [await pets.custom, await pets.itemCustom]);
    return [sent.length, await pets.custom === pets.custom, pets.custom.then === undefined, pets.itemCustom.then === undefined];
  }, [0, true, true, true]],
];

/** Makes all calls, in their order. Returns those with another result. */
export async function wrongZooCalls(client, codecs, base, token) {
  const clients = zooClients(client, codecs, base, token);
  const wrong = [];
  for (const [rule, what, call, expected] of zooCalls) {
    const given = await Promise.resolve().then(() => call(clients)).catch((error) => `rejects: ${error.stack}`);
    if (JSON.stringify(given) !== JSON.stringify(expected)) wrong.push(`${rule}: ${what}: ${JSON.stringify(given)}`);
  }
  return wrong;
}
