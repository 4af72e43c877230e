/** The common requests for libraries that call a listener without a port: light-my-request, and Fastify's `inject`, which uses it. */
import { Readable } from 'node:stream';
import { assertResponse } from './checks.js';
import { requests } from './requests.js';

/** Sends all requests by `inject`. */
export async function checkInjections(check, inject) {
  for (const request of requests) {
    await check(request.name, async () => {
      const { statusCode, headers, payload } = await inject(injectionOf(request));
      assertResponse({ status: statusCode, headers, body: payload }, request.response);
    });
  }
}

/** A body in chunks is a stream. The caller sets the headers for it. */
function injectionOf({ method, path, headers, body }) {
  const isChunked = Array.isArray(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const framing = isChunked ? { 'transfer-encoding': 'chunked' } : {};
  const payload = isChunked ? Readable.from(body.map((chunk) => Buffer.from(chunk))) : body;
  return { method, url: path, headers: { ...type, ...framing, ...headers }, payload };
}
