/** The common requests, sent by a `fetch`: that of a server, or the global one to a framework that passes them to a server. */
import { assertResponse } from './checks.js';
import { requestsFor } from './requests.js';

/**
 * A body in chunks is a stream. A `Response` has no field of its connection. `options` says which requests are sent, with which headers,
 * and which fields of the responses the framework leaves out.
 */
export async function checkFetches(check, fetch, { only = () => true, headers: always = {}, without = [], isV8 } = {}) {
  for (const { name, method, path, headers, body, response: { headers: expected = {}, ...expectedResponse } } of requestsFor({ isV8 }).filter(only)) {
    await check(name, async () => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = Array.isArray(body) ? ReadableStream.from(body.map((chunk) => Buffer.from(chunk))) : body;
      const response = await fetch(path, { method, headers: { ...always, ...type, ...headers }, body: sent, duplex: 'half' });
      const received = { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
      const compared = Object.entries(expected).filter(([field]) => field !== 'connection' && !without.includes(field));
      assertResponse(received, { ...expectedResponse, headers: Object.fromEntries(compared) });
    });
  }
}
