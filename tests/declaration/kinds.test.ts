/** The table of kinds, and what follows from a row: the conditions of a request, and its call by the client. The tests have a row for each kind. */
import type { Endpoint } from '../../src/endpoint/endpoint.ts';
import { KINDS, makeKind } from '../../src/declaration/kinds.ts';
import { chooseConditions } from '../../src/endpoint/versions.ts';
import { client } from '../../src/client/index.ts';
import { ROWS } from '../support/kinds.ts';
import { assert, suite } from '../support/facts.ts';

const kinds = suite('a kind of the table');
for (const { name, method, suffix } of KINDS) {
  kinds(`${name}, ${method}: its reply, its context and its call by a client are tested`, () => {
    const path = new RegExp(`^/pet${suffix.replace(':id', '5').replace('<name>', '[a-z]+')}$`);
    assert.ok(ROWS.some((row) => row[0] === method && path.test(row[1])), `tests/support/kinds.ts has no row for ${method} ${path.source}`);
  });
}

const conditions = suite('V23: the conditions of a kind, and with requireIfMatch');
for (const [method, suffix, without, required] of [
  ['GET', '', 'none', 'none'],
  ['GET', '/:id', 'none', 'none'],
  ['POST', '', 'none', 'none'],
  ['POST', '/<name>', 'none', 'none'],
  ['POST', '/:id/<name>', 'checked', 'checked'],
  ['GET', '/<name>', 'none', 'none'],
  ['GET', '/:id/<name>', 'none', 'none'],
  ['PUT', '/:id', 'checked', 'required'],
  ['PATCH', '/:id', 'checked', 'required'],
  ['DELETE', '/:id', 'checked', 'required'],
  // All items: no kind of this package has these rows, but CONTRIBUTING.md shows how to add one.
  ['PUT', '', 'checked', 'required'],
  ['DELETE', '', 'checked', 'required'],
] as const) {
  conditions(`${method} {base}${suffix} -> ${without}, ${required}`, () => {
    const kind = makeKind({ name: 'own', method, suffix, decoder: undefined, result: 'nothing' });
    for (const [requiresIfMatch, expected] of [[false, without], [true, required]] as const) {
      assert.is(chooseConditions({ versions: { requiresIfMatch } } as Endpoint, kind), expected);
    }
  });
}

// The client loads nothing of the table: its own rules must say the same.
const called = suite('a kind that the client calls');
for (const { name, method, suffix, isOfItem, isNamed, body, repeats } of KINDS) {
  called(`${name}: ${method} {base}${suffix}, ${body === 'ignored' ? 'without' : 'with'} a body, ${repeats ? 'twice' : 'once'} where the first attempt gets 503`, async () => {
    const sent: unknown[] = [];
    const busy = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      sent.push([init.method, new URL(String(url)).pathname, init.body !== undefined]);
      return new Response(null, { status: sent.length === 1 ? 503 : 204 });
    };
    const pets = client<any>('http://localhost', { fetch: busy, retries: { attempts: 1, maxDelayMs: 1 } })('/pet');
    const feed = isNamed && pets[name].feed;
    const call = isNamed ? method === 'POST' ? feed : feed[method.toLowerCase()] : pets[name];
    const { ok } = await call(...(isOfItem ? [5] : []), ...(body === 'ignored' ? [] : [{}]), { safe: true });
    const request = [method, `/pet${suffix.replace(':id', '5').replace('<name>', 'feed')}`, body !== 'ignored'];
    assert.equal([ok, sent], [repeats, repeats ? [request, request] : [request]]);
  });
}
