/** Compares the responses to requests with the document: their status, their headers, their media type and their body. */
import { valueComplaints, withFile } from './openapi-validators.js';
import { PATIENCE_MS } from './until.js';


/**
 * Sends requests to a server. Returns the deviations from the document, as `GET /v1/pet -> 200: …`. `onResponse` gets each request and its
 * response: `status`, `headers` and `body` as text. A request is not compared with the document if `isDescribed` returns false for it.
 */
export function compareWithDocument(document, url, requests, onResponse = () => {}, isDescribed = () => true) {
  return withFile(document, async (file) => {
    const found = [];
    for (const request of requests) {
      const { method, path, headers, body } = request;
      const response = await fetch(url + path, { method, headers, body, signal: AbortSignal.timeout(PATIENCE_MS) });
      const received = { status: response.status, headers: response.headers, body: await response.text() };
      onResponse(request, received);
      const all = isDescribed(request) ? await findDifferences(document, file, request, received) : [];
      found.push(...all.map((difference) => `${method} ${path} -> ${received.status}: ${difference}`));
    }
    return found;
  });
}

/** The operation of a request, and the keys that lead to it. Throws if the document does not have it. */
export function findOperation({ paths }, { method, path }) {
  const [target] = path.split('?');
  const matching = Object.keys(paths).filter((template) => {
    return method.toLowerCase() in paths[template] && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target);
  });
  // A literal segment is preferred.
  const [template] = matching.sort((one, other) => one.split('{').length - other.split('{').length);
  if (template === undefined) throw new Error(`the document has no ${method} ${target}`);
  const keys = ['paths', template, method.toLowerCase()];
  return { keys, operation: paths[template][method.toLowerCase()] };
}

/** The deviations from the document. `file` has the document. */
export async function findDifferences(document, file, request, { status, headers, body }) {
  const { keys, operation } = findOperation(document, request);
  const key = String(status) in operation.responses ? String(status) : 'default';
  if (key === 'default' && status < 400) return [`${status} is not in the document`];
  const found = dereferenced(document, operation.responses[key], [...keys, 'responses', key]);
  return [...await headerDifferences(document, file, found, headers), ...await bodyDifferences(file, found, headers, body)];
}

function dereferenced(document, value, keys) {
  if (!('$ref' in value)) return { value, keys };
  const referred = value.$ref.slice(2).split('/');
  return { value: referred.reduce((each, key) => each[key], document), keys: referred };
}

async function headerDifferences(document, file, { value, keys }, headers) {
  const found = await Promise.all(Object.entries(value.headers ?? {}).map(async ([name, described]) => {
    const field = headers.get(name);
    const header = dereferenced(document, described, [...keys, 'headers', name]);
    if (field === null) return header.value.required ? [`there is no ${name}`] : [];
    return valueComplaints(file, [...header.keys, 'schema'], field);
  }));
  return found.flat();
}

async function bodyDifferences(file, { value: { content }, keys }, headers, body) {
  const [type] = (headers.get('content-type') ?? '').split(';');
  if (content === undefined) return body.length === 0 && type === '' ? [] : [`a body of ${type}, where there is none in the document`];
  if (!(type in content)) return [`${type} is not in the document, which has ${Object.keys(content).join(', ')}`];
  if (content[type].schema === undefined) return [];
  const found = await Promise.all(valuesOf(type, body).map((value) => valueComplaints(file, [...keys, 'content', type, 'schema'], value)));
  return found.flat();
}

/** The values of a body that its schema describes: all events of a stream, and else the whole. */
function valuesOf(type, body) {
  if (type === 'text/event-stream') return body.split('\n\n').filter((frame) => frame !== '').map(eventOf);
  return [type.endsWith('json') ? JSON.parse(body) : body];
}

function eventOf(frame) {
  const entries = frame.split('\n').map((line) => line.split(/: (.*)/s));
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'retry' ? Number(value) : value]));
}
