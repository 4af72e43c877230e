/** The items of a list that comes in pages, and what ends them. */
import { client, ProblemError, type QueryParameters } from '../../src/client/index.ts';
import { defineEndpoint, integerId } from '../../src/index.ts';
import { serveResponses, respondJson, type Respond } from '../support/serve-responses.ts';
import { captureError } from '../support/serve-with-client.ts';
import { assert, suite } from '../support/facts.ts';

const things = defineEndpoint({ id: integerId, list: (): number[] => [] });
interface Api {
  readonly '/thing': typeof things;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Three pages of two items. The link to the next one is written as the test says. */
const pages = (link: (after: number) => string): Respond => (response, asked) => {
  const after = Number(new URL(asked.at(-1)!.url, 'http://x').searchParams.get('after') ?? 0);
  respondJson(response, [after + 1, after + 2], after < 4 ? { Link: link(after + 2) } : {});
};

const followed = suite('a link to the next page');
for (const [what, link] of [
  ['a query', (after) => `<?after=${after}>; rel="next"`],
  ['a path', (after) => `</v1/thing?after=${after}>; rel="next"`],
  ['a relation without quotes', (after) => `<?after=${after}>; rel=next`],
  ['several relations', (after) => `<?after=${after}>; rel="last next"`],
  ['other parameters', (after) => `<?after=${after}>; title="a, b; c"; REL = "next"; type=x`],
  ['links within titles',
    (after) => `</a>; rel=prev; title="</b>; rel=next", </c>; title="a \\"</d>; rel=\\"next\\""; rel="up", <?after=${after}>; title=", <e>"; rel="next"`],
  ['a quote in the target', (after) => `</a">; rel=up, <?after=${after}>; rel=next; title="b"`],
  ['other links', (after) => `<?after=9>; rel="prev", </other>; rel="nextish next-archive", <?after=${after}>; rel="next", <?after=8>; rel=last`],
] as readonly (readonly [string, (after: number) => string])[]) {
  followed(`with ${what} -> all items`, async () => {
    const asked = await serveResponses(pages(link), async (base) => {
      assert.equal(await collect(client<Api>(`${base}/v1`)('/thing').each({ query: { after: 0 } })), [1, 2, 3, 4, 5, 6]);
    });
    assert.equal(asked.map(({ url }) => url), ['/v1/thing?after=0', '/v1/thing?after=2', '/v1/thing?after=4']);
  });
}
followed('with an absolute URL of the same origin -> all items', async () => {
  await serveResponses((response, asked, request) => pages((after) => `<http://${request.headers.host}/v1/thing?after=${after}>; rel=next`)(response, asked, request),
    async (base) => assert.equal(await collect(client<Api>(`${base}/v1`)('/thing').each()), [1, 2, 3, 4, 5, 6]));
});
followed('below a base that is a path, of responses without a URL -> paths', async () => {
  const urls: string[] = [];
  const fetched = async (url: string): Promise<Response> => {
    urls.push(url);
    return Response.json([urls.length], urls.length < 3 ? { headers: { Link: `<?after=${urls.length}>; rel=next` } } : {});
  };
  assert.equal(await collect(client<Api>('/v1', { fetch: fetched })('/thing').each()), [1, 2, 3]);
  assert.equal(urls, ['/v1/thing', '/v1/thing?after=1', '/v1/thing?after=2']);
});
followed('below a base that is a path: a path that begins with // is not a host', async () => {
  const urls: string[] = [];
  const fetched = async (url: string): Promise<Response> => {
    urls.push(url);
    return Response.json([urls.length], urls.length < 2 ? { headers: { Link: '</.//other.invalid/x>; rel=next' } } : {});
  };
  assert.equal(await collect(client<Api>('/v1', { fetch: fetched })('/thing').each()), [1, 2]);
  assert.equal(urls, ['/v1/thing', '/.//other.invalid/x']);
});
for (const [what, link] of [
  ['to a different host', 'http://other.invalid/v1/thing?after=2'],
  ['to another port', 'http://127.0.0.1:1/v1/thing?after=2'],
  ['with another scheme', 'data:application/json,[3]'],
  ['that runs a script', 'javascript:alert(1)'],
  ['to a file', 'file:///etc/passwd'],
  ['with a scheme and no host', 'https:/thing'],
  ['without a scheme, to a different host', '//other.invalid/thing'],
] as const) {
  followed(`${what} ends the list`, async () => {
    const asked = await serveResponses((response) => respondJson(response, [1], { Link: `<${link}>; rel="next"` }), async (base) => {
      assert.equal(await collect(client<Api>(`${base}/v1`, { headers: { 'X-API-Key': 'secret' } })('/thing').each()), [1]);
    });
    assert.is(asked.length, 1);
  });
}
for (const [what, link] of [
  ['within a title', '</a>; rel="prev"; title="<?after=2>; rel=next"'],
  ['after the title of another relation', '</a>; title="; rel=next"; rel="prev"'],
  ['within a title with escapes', '</a>; title="\\"; <?after=2>; rel=next"; rel=prev'],
  ['within a target without an end', '<?after=2; rel=next'],
  ['within a title without an end', '</a>; title="<?after=2>; rel=next'],
] as const) {
  followed(`${what} is not a link: the list ends`, async () => {
    const asked = await serveResponses((response) => respondJson(response, [1], { Link: link }), async (base) => {
      assert.equal(await collect(client<Api>(`${base}/v1`)('/thing').each()), [1]);
    });
    assert.is(asked.length, 1);
  });
}
for (const [what, next, count] of [
  ['the same page', () => '', 1],
  ['the same page, written in another way', () => '/v1/../v1/thing?page=0', 1],
  ['a page before', (length: number) => `?page=${length % 3}`, 3],
] as const) {
  followed(`to ${what} -> ProblemError, after its items`, async () => {
    const asked = await serveResponses((response, { length }) => respondJson(response, [length], { Link: `<${next(length)}>; rel="next"` }), async (base) => {
      const items: number[] = [];
      const error = await captureError((async () => {
        for await (const item of client<Api>(`${base}/v1`)('/thing').each({ query: { page: 0 } })) items.push(item);
      })());
      assert.equal([items.length, error.name, error.problem.detail], [count, 'ProblemError', 'The next page came before.']);
    });
    assert.is(asked.length, count);
  });
}
followed('of an endless list is asked for as its items are used', async () => {
  const asked = await serveResponses((response, { length }) => respondJson(response, [length, 'x'], { Link: `<?page=${length}>; rel="next"` }), async (base, sent) => {
    const counts: number[] = [];
    for await (const _item of client<Api>(base)('/thing').each()) {
      counts.push(sent.length);
      if (counts.length === 5) break;
    }
    assert.equal(counts, [1, 1, 2, 2, 3]);
  });
  assert.is(asked.length, 3);
});
followed('that cannot be a URL -> ProblemError', () => serveResponses((response) => respondJson(response, [1], { Link: '<http://[>; rel="next"' }), async (base) => {
  const error = await captureError(collect(client<Api>(base)('/thing').each()));
  assert.is(String(error), `ProblemError: GET ${base}/thing -> 200: The link is not a URL.`);
}));

const redirected = suite('a page that a redirect leads to, if fetch follows it');
const OTHER = 'ProblemError: The response is of a different origin.';
/** Sends `from` to `target`, which may begin with the host of the other server, and serves the rest. `link` is that of the page of this server. */
const redirect = (from: string, target: string, next: Respond): Respond => (response, asked, request) => {
  if (request.url === from) response.writeHead(302, { Location: target }).end();
  else next(response, asked, request);
};
const SECRET = { 'X-Api-Key': 'secret', Authorization: 'Bearer secret' };
for (const [what, isPath, from, location, link, expected] of [
  ['of a different origin, with a link to it', true, '/v1/thing', 'OTHER/moved', '<OTHER/stolen>; rel=next', OTHER],
  ['of a different origin, with a link to it, below an absolute base', false, '/v1/thing', 'OTHER/moved', '<OTHER/stolen>; rel=next', OTHER],
  ['of a different origin, with a relative link, below an absolute base', false, '/v1/thing', 'OTHER/moved', '</stolen>; rel=next', OTHER],
  ['of a different origin, without a link, below an absolute base', false, '/v1/thing', 'OTHER/moved', '', OTHER],
  ['of a different origin, which is the second', true, '/v1/thing?after=2', 'OTHER/moved', '<OTHER/stolen>; rel=next', OTHER],
  ['of the same origin, with a relative link', true, '/v1/thing', '/v1/thing?after=0', '', [1, 2, 3, 4, 5, 6]],
  ['of the same origin, with an absolute link, below an absolute base', false, '/v1/thing?after=2', 'OWN/v1/thing?after=2&x=1', '', [1, 2, 3, 4, 5, 6]],
] as const) {
  redirected(`${what} -> ${JSON.stringify(expected)}`, async () => {
    const stolen = await serveResponses((response, asked) => respondJson(response, [asked.length], { Link: link.replace('OTHER', `http://${asked[0]?.headers.host}`) }), async (other) => {
      const own: Respond = (response, asked, request) => {
        const origin = `http://${request.headers.host}`;
        const page = pages((after) => (location.startsWith('OWN') ? `<${origin}/v1/thing?after=${after}>; rel=next` : `<?after=${after}>; rel=next`));
        redirect(from, location.replace('OTHER', other).replace('OWN', origin), page)(response, asked, request);
      };
      await serveResponses(own, async (base) => {
        const following = (url: string, init: RequestInit): Promise<Response> => fetch(new URL(url, base), { ...init, redirect: 'follow' });
        const things = client<Api>(isPath ? '/v1' : `${base}/v1`, { fetch: following, headers: SECRET })('/thing');
        const error = async (promise: Promise<unknown>): Promise<unknown> => promise.catch(({ name, problem }) => `${name}: ${problem?.detail}`);
        assert.equal(await error(collect(things.each())), expected);
        if (typeof expected === 'string' && from === '/v1/thing') assert.is(await error(things.page()), expected);
      });
    });
    // What `fetch` itself has sent there, and nothing else.
    assert.equal(stolen.filter(({ url, headers }) => url !== '/moved' || headers.authorization !== undefined), []);
  });
}

const single = suite('one page');
const LOOP = 'ProblemError: The next page came before.';
for (const [what, body, link, next, prev] of [
  ['a link', [1], '</else/where?after=2&tag=a&tag=&limit=3#?x=y>; rel="next", <?before=1>; rel=prev',
    { after: '2', tag: ['a', ''], limit: '3' }, { before: '1' }],
  ['a relation in capitals, beside others', [1], '<?after=2>; rel="last NEXT"', { after: '2' }],
  ['two links to a next page: the first', [1], '<?after=2>; rel=next, <?after=3>; rel=next', { after: '2' }],
  ['an envelope', { items: [1], next: '?after=%26+%2b', prev: '?' }, '<?after=3>; rel=next', { after: '& +' }, {}],
  ['an envelope of URLs', { items: [1], next: 'http://other.invalid:1/x?after=2', prev: null }, '', { after: '2' }],
  ['an envelope whose link is empty', { items: [1], next: '', prev: 7 }, ''],
  ['an envelope whose link is not a string', { items: [1], next: { after: 2 } }, '<?after=3>; rel=next', { after: '3' }],
  ['a link to elsewhere: only its query', [1], '<javascript:alert(1)?after=2>; rel=next, <//other.invalid/?a=b>; rel=prev', { after: '2' }, { a: 'b' }],
  ['names of properties', [1], '<?__proto__=a&toString=b&__proto__=c>; rel=next', JSON.parse('{"__proto__":["a","c"],"toString":"b"}')],
  ['names of relations', [1], '<?a=1>; rel="__proto__ constructor toString", <?after=2>; rel=next', { after: '2' }],
  ['no link', [1], ''],
  ['a link to the first page before', [1], '<?>; rel=prev', undefined, {}],
  ['a link to the next page without a query', [1], '</thing/2#?a=b>; rel=next', LOOP],
  ['a link to the same page', [1], '<?limit=3&to=1%2C2>; rel=next', LOOP],
  ['a link that cannot be a URL', [1], '<http://[>; rel=next', 'ProblemError: The link is not a URL.'],
  ['a link before that cannot be a URL', [1], '<http://[>; rel=prev', 'ProblemError: The link is not a URL.'],
] as readonly (readonly [string, object, string, (object | string)?, object?])[]) {
  single(`with ${what} -> ${JSON.stringify(next)}`, () => serveResponses((response) => respondJson(response, body, { Link: link }), async (base, asked) => {
    const things = client<Api>(base)('/thing');
    const query = { limit: 3, to: '1,2' };
    if (typeof next === 'string') {
      const { name, problem } = await captureError(things.page({ query }));
      return assert.is(`${name}: ${problem?.detail}`, next);
    }
    const found = await things.page({ query });
    assert.equal(found, { items: [1], next, prev });
    // The query survives a store, and is sent as in the link.
    if (next === undefined) return;
    await things.list({ query: JSON.parse(JSON.stringify(found.next)) });
    const sent = new URL(asked[1]!.url, 'http://x').searchParams;
    assert.equal([...sent], Object.entries(next).flatMap(([name, value]) => [value].flat().map((each) => [name, each])));
  }));
}
single('after page, by the next query, as far as there is one', async () => {
  const asked = await serveResponses(pages((after) => `</v1/thing?after=${after}&tag=a&tag=b>; rel="next"`), async (base) => {
    const things = client<Api>(`${base}/v1`)('/thing');
    const items: number[] = [];
    for (let query: QueryParameters | undefined = { limit: 2 }; query;) {
      const found: Awaited<ReturnType<typeof things.page>> = await things.page({ query });
      items.push(...found.items);
      query = found.next;
    }
    assert.equal(items, [1, 2, 3, 4, 5, 6]);
  });
  assert.equal(asked.map(({ url }) => url), ['/v1/thing?limit=2', '/v1/thing?after=2&tag=a&tag=b', '/v1/thing?after=4&tag=a&tag=b']);
});
single('with a link of a million parameters is read', async () => {
  const names = Array.from({ length: 250_000 }, (_, index) => `n${index}=&x=${index}`);
  const fetched = async (): Promise<Response> => Response.json({ items: [1], next: `?${names.join('&')}` });
  const { next } = await client<Api>('/v1', { fetch: fetched })('/thing').page();
  assert.is(Object.keys(next ?? {}).length, 250_001);
});

const wrong = suite('a page');
for (const value of ['text', 7, null, { length: 1, 0: 'x' }]) {
  wrong(`that is ${JSON.stringify(value)} -> ProblemError`, () => serveResponses((response) => respondJson(response, value), async (base) => {
    const error = await captureError(collect(client<Api>(base)('/thing').each()));
    assert.instance(error, ProblemError);
    assert.is(error.message, `GET ${base}/thing -> 200: The response is not a list.`);
  }));
}
wrong('that is rejected -> its problem, after the items before it', () => serveResponses((response, asked) => {
  if (asked.length === 1) respondJson(response, [1], { Link: '<?page=2>; rel=next' });
  else response.writeHead(500).end();
}, async (base) => {
  const items: unknown[] = [];
  const error = await captureError((async () => {
    for await (const item of client<Api>(base)('/thing').each()) items.push(item);
  })());
  assert.equal([items, error.status], [[1], 500]);
}));
wrong('is not asked for after the signal has aborted', async () => {
  const controller = new AbortController();
  const asked = await serveResponses((response) => respondJson(response, [1], { Link: '<?page=2>; rel=next' }), async (base) => {
    const items = client<Api>(base)('/thing').each({ signal: controller.signal })[Symbol.asyncIterator]();
    assert.equal(await items.next(), { done: false, value: 1 });
    controller.abort();
    assert.is((await captureError(items.next() as Promise<unknown>)).name, 'AbortError');
  });
  assert.is(asked.length, 1);
});
