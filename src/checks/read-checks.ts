/** GET and QUERY are safe, HEAD is as GET (RFC 9110 sections 9.2.1 and 9.3.2), and all are as the document says. */
import { type Check, checkOf, type Tools, whyNot } from './check.ts';
import { failure } from './requests.ts';
import { isSafe, type Subject, subjectAt } from './subject.ts';

/** The header fields that describe a representation, which HEAD has as GET has them. */
const FIELDS = ['content-type', 'content-length', 'etag', 'last-modified', 'cache-control', 'location', 'link', 'vary'] as const;

export function readChecks(tools: Tools): Check[] {
  return tools.subjects.filter(isSafe).flatMap((get) => {
    const missing = whyNot(tools, get);
    const claim = tools.observations.claimOf(get);
    return [
      checkOf(`${get.route}: the answer is as the document says`, missing, () => checkAnswer(tools, get)),
      ...(get.method === 'GET' ? [checkOf(`HEAD ${get.path}: as GET, without a body`, missing ?? whyVaried(get), () => checkHead(tools, get))] : []),
      ...(claim === '' ? [] : [checkOf(`${get.route}: answers twice${claim}`, missing, () => checkSafe(tools, get))]),
    ];
  });
}

export function whyVaried({ operationId, sample: { varies } }: Subject): string | undefined {
  return varies === true ? `samples.${operationId}.varies is true` : undefined;
}

async function checkAnswer(tools: Tools, get: Subject): Promise<void> {
  const answer = await tools.requests.call(get, await itemFor(tools, get), await tools.places.partsOf(get));
  if (answer.status >= 400) throw failure(answer, 'success for an item that exists', get);
}

async function checkHead(tools: Tools, get: Subject): Promise<void> {
  const { places, requests } = tools;
  const [path, parts] = [await itemFor(tools, get), await places.partsOf(get)];
  const [got, head] = [await requests.call(get, path, parts), await requests.send(get, 'HEAD', path, parts)];
  if (head.status !== got.status) throw failure(head, `${got.status}, as GET has`, get);
  const other = FIELDS.find((name) => head.headers[name] !== got.headers[name]);
  if (other !== undefined) throw failure(head, `${other}: ${String(got.headers[other])}, as GET has, and not ${String(head.headers[other])}`, get);
}

async function checkSafe(tools: Tools, get: Subject): Promise<void> {
  const { places, requests, observations } = tools;
  const path = await itemFor(tools, get);
  const before = await observations.observe(get, path);
  const answer = await requests.call(get, path, await places.partsOf(get));
  await observations.expectUnchanged(before, get, path, answer);
}

/** The path of an item. A singleton may have to be put there first, and a list to get an item. `known` is the path if it has one already. */
export async function itemFor({ places, requests, subjects }: Tools, subject: Subject, known = ''): Promise<string> {
  const path = known === '' ? await places.pathFor(subject) : known;
  const create = subject.operation.kind.name === 'list' ? subjectAt(subjects, 'POST', subject.path) : undefined;
  if (create !== undefined && places.whyUncalled(create) === undefined) await requests.call(create, path, await places.partsOf(create));
  const update = subjects.find((each) => each.path === subject.path && each.method === 'PUT');
  if (subject.operation.endpoint.isSingleton && update !== undefined && places.whyUncalled(update) === undefined) await requests.call(update, path, await places.partsOf(update));
  return path;
}
