/** GET and QUERY change nothing, HEAD has the headers of GET (RFC 9110 sections 9.2.1 and 9.3.2), and all responses fit the document. */
import { type Check, makeCheck, type Tools, explainNotCalled } from './check.ts';
import { makeFailure } from './requests.ts';
import { isSafe, type Subject, findSubject } from './subject.ts';

/** The headers that must be the same for HEAD and GET. */
const HEADERS = ['content-type', 'content-length', 'etag', 'last-modified', 'cache-control', 'location', 'link', 'vary'] as const;

export function readChecks(tools: Tools): Check[] {
  return tools.subjects.filter(isSafe).flatMap((get) => {
    const missing = explainNotCalled(tools, get);
    const claim = tools.observations.makeClaim(get);
    return [
      makeCheck(`${get.route}: the response is as the document says`, missing, () => checkResponse(tools, get)),
      ...(get.method === 'GET' ? [
        makeCheck(`HEAD ${get.path}: as GET, without a body`, missing ?? explainVaried(get), () => checkHead(tools, get)),
      ] : []),
      ...(get.operation.caching?.control === undefined ? [] : [
        makeCheck(`${get.route}: a success has Cache-Control, and a 304 has the same`, missing, () => checkCaching(tools, get)),
      ]),
      ...(claim === '' ? [] : [makeCheck(`${get.route}: has the same response twice${claim}`, missing, () => checkSafe(tools, get))]),
    ];
  });
}

export function explainVaried({ operationId, sample: { varies } }: Subject): string | undefined {
  return varies === true ? `samples.${operationId}.varies is true` : undefined;
}

async function checkResponse(tools: Tools, get: Subject): Promise<void> {
  const response = await tools.requests.call(get, await makeItem(tools, get), await tools.items.makeParts(get));
  if (response.status >= 400) throw makeFailure(response, 'success for an item that exists', get);
}

async function checkHead(tools: Tools, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const [path, parts] = [await makeItem(tools, get), await items.makeParts(get)];
  const [got, head] = [await requests.call(get, path, parts), await requests.send(get, 'HEAD', path, parts)];
  if (head.status !== got.status) throw makeFailure(head, `${got.status}, as for GET`, get);
  const other = HEADERS.find((name) => head.headers[name] !== got.headers[name]);
  if (other === undefined) return;
  throw makeFailure(head, `${other}: ${String(got.headers[other])}, as for GET, not ${String(head.headers[other])}`, get);
}

async function checkCaching(tools: Tools, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const [path, parts] = [await makeItem(tools, get), await items.makeParts(get)];
  const got = await requests.call(get, path, parts);
  const control = got.headers['cache-control'];
  if (control === undefined) throw makeFailure(got, 'Cache-Control, as the declaration says', get);
  // `*` matches any item that exists.
  const known = await requests.call(get, path, { ...parts, headers: { ...parts.headers, 'if-none-match': '*' } });
  if (known.status === 304 && known.headers['cache-control'] === control) return;
  throw makeFailure(known, `304 to If-None-Match: *, with Cache-Control: ${control}`, get);
}

async function checkSafe(tools: Tools, get: Subject): Promise<void> {
  const { items, requests, observations } = tools;
  const path = await makeItem(tools, get);
  const before = await observations.observe(get, path);
  const response = await requests.call(get, path, await items.makeParts(get));
  await observations.expectUnchanged(before, get, path, response);
}

/**
 * Makes the path of an item. Puts a singleton there first, and adds an item to a list. `known` is the path, if it has been made already.
 */
export async function makeItem({ items, requests, subjects }: Tools, subject: Subject, known = ''): Promise<string> {
  const path = known === '' ? await items.makePath(subject) : known;
  const create = subject.operation.kind.name === 'list' ? findSubject(subjects, 'POST', subject.path) : undefined;
  if (create !== undefined && items.explainUncalled(create) === undefined) await requests.call(create, path, await items.makeParts(create));
  const update = subjects.find((each) => each.path === subject.path && each.method === 'PUT');
  const canPut = update !== undefined && items.explainUncalled(update) === undefined;
  if (subject.operation.endpoint.isSingleton && canPut) await requests.call(update, path, await items.makeParts(update));
  return path;
}
