/**
 * Calls of the client to the example, for every engine and for a page: nothing here is Node's. Each has the rule that it shows:
 *
 *   place      a path, its parameters, and codecs where there are any
 *   calls      arguments, options and results
 *   failures   the error of a call, and that each request is sent once
 *   options    those of the client, retries, and strings that a URL would fold away
 *   pages      the items of a list, page after page
 *   changes    an item that is changed with its tag
 *   safe       results that are not errors
 *   await      `custom` and `itemCustom` are not promises
 */
export const RULES = ['place', 'calls', 'failures', 'options', 'pages', 'changes', 'safe', 'await'];

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255];
const ARTIS = { name: 'Artis', city: 'Amsterdam' };
const REX = { name: 'Rex', legs: 4, lethal: false };
const MAX_MS = 600_000;

/** The state of all calls: clients, and the requests that they have sent. */
export function zooClients({ client, integerId, ProblemError }, base, token) {
  const authorization = `Bearer ${token}`;
  const sent = [];
  const spying = (url, init) => {
    sent.push(init);
    return fetch(url, init);
  };
  const api = client(base, { headers: async () => ({ authorization }), timeoutMs: MAX_MS, fetch: spying });
  const at = (made) => ({
    animal: made('/animal'),
    zoo: made('/zoo', {}, { id: integerId }),
    pet: (params) => made('/zoo/:zoo/pet', params, { id: integerId }),
    csv: (params) => made.one('/zoo/:zoo/pet.csv', params),
    photo: (params) => made.one('/zoo/:zoo/pet/:pet/photo', params),
    event: made.one('/event'),
    me: made.one('/keeper/me'),
  });
  const failure = (promise) => promise.then(() => ({ status: 'none' }), (error) => error);
  const nameOf = async (promise) => (await failure(promise)).name;
  const sentBy = async (call) => {
    sent.length = 0;
    await failure(Promise.resolve(call()));
    return [...sent];
  };
  const zoo = at(api);
  return { client, ProblemError, base, authorization, api, at, zoo, failure, nameOf, sentBy, pets: zoo.pet({ zoo: 1 }) };
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
  ['place', 'create, at a path without parameters', ({ zoo }) => zoo.zoo.create(ARTIS), 2],
  ['place', 'create, at a path with a parameter', ({ pets }) => pets.create({ ...REX, name: 'Asp' }), 2],
  ['place', 'a base that ends with a slash', ({ client, base, at }) => at(client(`${base}/`)).zoo.get(2), { id: 2, ...ARTIS }],
  ['place', 'an id that needs escapes', async ({ zoo }) => (await zoo.animal.get('a/b c?')).name, 'a/b c?'],
  ['place', 'a parameter without a codec', ({ api }) => api('/zoo/:zoo/pet', { zoo: 1 }).get('1'), { id: 1, ...REX, eaten: 0 }],
  ['place', 'a parameter is missing', ({ api }) => thrownBy(() => api('/zoo/:zoo/pet', {})), 'TypeError'],

  ['calls', 'list', ({ zoo }) => zoo.zoo.list(), [{ id: 1, name: 'The zoo', city: 'Utrecht' }, { id: 2, ...ARTIS }]],
  ['calls', 'list with a query', ({ pets }) => pets.list({ query: { after: 1, limit: undefined } }), [{ id: 2, ...REX, name: 'Asp', eaten: 0 }]],
  ['calls', 'list with URLSearchParams', async ({ pets }) => (await pets.list({ query: new URLSearchParams('limit=1') })).length, 1],
  ['calls', 'list, with a list in the query', async ({ pets, failure }) => (await failure(pets.list({ query: { limit: [1, 2] } }))).status, 400],
  ['calls', 'get', ({ pets }) => pets.get(1), { id: 1, ...REX, eaten: 0 }],
  ['calls', 'get of a singleton', ({ zoo }) => zoo.me.get(), { name: 'head keeper' }],
  ['calls', 'update', ({ pets }) => pets.update(2, { ...REX, name: 'Boa' }), undefined],
  ['calls', 'patch', ({ pets }) => pets.patch(2, { legs: 0, lethal: undefined }), undefined],
  ['calls', 'custom', ({ pets }) => pets.custom.search({ name: 'oa' }), [{ id: 2, ...REX, name: 'Boa', legs: 0, eaten: 0 }]],
  ['calls', 'itemCustom', ({ pets }) => pets.itemCustom.feed(2, { grams: 5 }), { name: 'Boa', eaten: 5 }],
  ['calls', 'text', ({ zoo }) => zoo.csv({ zoo: 2 }).get(), 'id,name,legs,lethal,eaten\r\n'],
  ['calls', 'bytes, sent', ({ zoo }) => {
    return zoo.photo({ zoo: 1, pet: 1 }).update(new Uint8Array(PNG), { headers: { 'Content-Type': 'image/png' } });
  }, undefined],
  ['calls', 'raw', async ({ zoo }) => bytesOf(await zoo.photo({ zoo: 1, pet: 1 }).get({ raw: true })), PNG],
  ['calls', 'delete of a singleton', ({ zoo }) => zoo.photo({ zoo: 1, pet: 1 }).delete(), undefined],
  ['calls', 'onResponse', async ({ pets }) => {
    let link;
    await pets.list({ query: { limit: 1 }, onResponse: ({ headers }) => (link = headers.get('link')) });
    return link;
  }, '<?limit=1&after=1>; rel="next"'],
  ['calls', 'events, which end with the signal', async ({ zoo }) => {
    const controller = new AbortController();
    const events = [];
    for await (const { event } of zoo.event.get({ query: { after: 0 }, signal: controller.signal })) {
      if (events.push(event) === 2) controller.abort();
    }
    return events;
  }, ['arrived', 'fed']],
  ['calls', 'onResponse of events', async ({ zoo }) => {
    let type;
    for await (const { event } of zoo.event.get({ query: { after: 0 }, onResponse: ({ headers }) => (type = headers.get('content-type')) })) {
      return [event, type];
    }
  }, ['arrived', 'text/event-stream']],
  ['calls', 'a stream, raw', async ({ zoo }) => {
    const { body } = await zoo.event.get({ query: { after: 1 }, raw: true });
    const reader = body.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return new TextDecoder().decode(value).split('\n')[0];
  }, 'id: 2'],
  ['calls', 'delete', ({ pets }) => pets.delete(2), undefined],

  ['failures', 'a problem', async ({ pets, failure, ProblemError }) => {
    const error = await failure(pets.get(2));
    return [error instanceof ProblemError, error.name, error.message.replace(/.* -> /, ''), error.status, error.problem, await error.response.text()];
  }, [true, 'ProblemError', '404: Not found.', 404, { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' },
    '{"type":"about:blank","title":"Not Found","status":404,"detail":"Not found."}']],
  ['failures', 'what a schema rejects', async ({ pets, failure }) => (await failure(pets.itemCustom.feed(1, { grams: 0 }))).fields,
    { grams: ['grams: expected an integer from 1 to 1000000'] }],
  ['failures', 'a conflict', async ({ zoo, failure }) => (await failure(zoo.zoo.create(ARTIS))).problem.detail, 'another zoo has this name'],
  ['failures', 'nobody is signed in', async ({ client, base, at, failure }) => {
    const { status, response } = await failure(at(client(base)).zoo.delete(2));
    return [status, response.headers.get('www-authenticate')];
  }, [401, 'Bearer realm="api"']],
  ['failures', 'no problem in a response', async ({ zoo, failure }) => (await failure(zoo.photo({ zoo: 1, pet: 1 }).create({}))).problem,
    { type: 'about:blank', title: 'Method Not Allowed', status: 405 }],
  ['failures', 'a signal that has aborted', ({ pets, nameOf }) => nameOf(pets.get(1, { signal: AbortSignal.abort() })), 'AbortError'],
  ['failures', 'a signal that aborts', ({ zoo, nameOf }) => {
    const controller = new AbortController();
    abortAfter(controller);
    return nameOf(zoo.event.get({ signal: controller.signal }));
  }, 'AbortError'],
  ['failures', 'a timeout', ({ zoo, nameOf }) => nameOf(zoo.event.get({ timeoutMs: 50 })), 'TimeoutError'],
  ['failures', 'a timeout beside a signal', ({ zoo, nameOf }) => {
    return nameOf(zoo.event.get({ timeoutMs: 50, signal: new AbortController().signal }));
  }, 'TimeoutError'],
  ['failures', 'no server: as with fetch itself', async ({ client, at, nameOf }) => {
    const nobody = 'http://127.0.0.1:9';
    return await nameOf(at(client(nobody)).zoo.list()) === await nameOf(fetch(`${nobody}/zoo`));
  }, true],
  ['failures', 'a rejected request is sent once', async ({ zoo, pets, sentBy }) => {
    const calls = [() => pets.get(2), () => zoo.zoo.create(ARTIS), () => zoo.animal.delete('ant'), () => pets.itemCustom.feed(2, { grams: 1 })];
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

  ['options', 'headers: a value', ({ client, base, at, authorization }) => at(client(base, { headers: { authorization } })).me.get(), { name: 'head keeper' }],
  ['options', 'headers: Headers', ({ client, base, at, authorization }) => at(client(base, { headers: new Headers({ authorization }) })).me.get(), { name: 'head keeper' }],
  ['options', 'headers: a function that is called for each request', async ({ client, base, at, authorization }) => {
    let calls = 0;
    const me = at(client(base, { headers: () => (calls++ === 0 ? {} : { authorization }) })).me;
    return [await me.get().catch(({ status }) => status), await me.get(), calls];
  }, [401, { name: 'head keeper' }, 2]],
  ['options', 'headers of a call replace those of the client', async ({ zoo, failure }) => {
    return (await failure(zoo.me.get({ headers: { Authorization: 'Bearer of-somebody-else-here' } }))).status;
  }, 401],
  ['options', 'timeoutMs, and that of a call in its place', async ({ client, base, at, nameOf }) => {
    const events = at(client(base, { timeoutMs: 50 })).event;
    const failed = await nameOf(events.get());
    for await (const { event } of events.get({ query: { after: 0 }, timeoutMs: MAX_MS })) return [failed, event];
  }, ['TimeoutError', 'arrived']],
  ['options', 'credentials', async ({ client, base, at }) => {
    const seen = [];
    const spying = (url, init) => {
      seen.push(init.credentials);
      return fetch(url, { ...init, credentials: 'omit' });
    };
    for (const credentials of ['include', 'omit', undefined]) await at(client(base, { fetch: spying, credentials })).zoo.get(1);
    return seen.map(String);
  }, ['include', 'omit', 'undefined']],
  ['options', 'retries', async ({ client, base }) => {
    let sent = 0;
    const failing = async () => ((sent += 1) < 3 ? new Response('', { status: 503 }) : Response.json('done'));
    return [await client(base, { fetch: failing, retries: { attempts: 2, maxDelayMs: 5 } })('/animal').get('ant'), sent];
  }, ['done', 3]],
  ['options', 'ids that a URL would fold away', ({ zoo, nameOf }) => Promise.all(['', '.', '..'].map((id) => nameOf(zoo.animal.get(id)))), Array(3).fill('TypeError')],
  ['options', 'parameters that a URL would fold away', ({ zoo }) => ['', '.', '..'].map((text) => thrownBy(() => zoo.csv({ zoo: text }))), Array(3).fill('TypeError')],

  ['calls', 'create without a codec -> a string', async ({ api }) => typeof await api('/zoo/:zoo/pet', { zoo: 2 }).create(REX), 'string'],

  ['pages', 'each item, page after page', async ({ pets, sentBy }) => {
    const names = [];
    const sent = await sentBy(async () => {
      for await (const { name } of pets.each({ query: { limit: 1 } })) names.push(name);
    });
    return [names, sent.length];
  }, [['Rex', 'Rex'], 2]],

  ['changes', 'edit: get, change, put, with the tag between', async ({ client, base }) => {
    const sent = [];
    const responses = [Response.json({ legs: 3 }, { headers: { ETag: '"1"' } }), new Response('', { status: 412 }), Response.json({ legs: 4 }, { headers: { ETag: '"2"' } }), new Response(null, { status: 204 })];
    const fetched = async (_url, { method, headers }) => {
      sent.push(`${method} ${headers.get('if-match')}`);
      return responses[sent.length - 1];
    };
    return [await client(base, { fetch: fetched })('/pet').edit(1, ({ legs }) => ({ legs: legs + 1 })), sent];
  }, [{ legs: 5 }, ['GET null', 'PUT "1"', 'GET null', 'PUT "2"']]],

  ['safe', 'a success', async ({ pets }) => {
    const { headers, ...found } = await pets.get(1, { safe: true });
    return [found, headers.get('content-type')];
  }, [{ ok: true, status: 200, value: { id: 1, ...REX, eaten: 1 }, etag: '"2"' }, 'application/json']],
  ['safe', 'a failure', async ({ pets }) => {
    const { ok, status, problem } = await pets.get(2, { safe: true });
    return [ok, status, problem.detail];
  }, [false, 404, 'Not found.']],

  ['await', 'custom and itemCustom', async ({ pets, sentBy }) => {
    const sent = await sentBy(async () => [await pets.custom, await pets.itemCustom]);
    return [sent.length, await pets.custom === pets.custom, pets.custom.then === undefined, pets.itemCustom.then === undefined];
  }, [0, true, true, true]],
];

/** Makes all calls, in their order. Returns those with another result. */
export async function findWrongZooCalls(client, base, token) {
  const clients = zooClients(client, base, token);
  const wrong = [];
  for (const [rule, what, call, expected] of zooCalls) {
    const given = await Promise.resolve().then(() => call(clients)).catch((error) => `rejects: ${error.stack}`);
    if (JSON.stringify(given) !== JSON.stringify(expected)) wrong.push(`${rule}: ${what}: ${JSON.stringify(given)}`);
  }
  return wrong;
}
