/** An Express 4 app with compression 1.7, whose on-headers replaces `writeHead` by one that takes no flat list of headers. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import compression from 'compression-1';
import express from 'express-4';
import * as restpoint from '../../dist/index.js';
import { checking } from './checks.js';
import { listening, send } from './middleware.js';
import { LONG, registerReplies, KINDS } from './replies.js';
import { checkRequests } from './wire.js';
import { zooServer } from './zoo.js';

const GZIP = { 'accept-encoding': 'gzip' };

/** An app that sets a header and a cookie on each response, compresses, and mounts a zoo at its root. */
function makeServer() {
  const api = zooServer(restpoint);
  registerReplies(api);
  const app = express();
  app.use((_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    response.cookie('session', '1');
    next();
  });
  app.use(compression({ threshold: 0 }));
  app.use(api.requestListener);
  return createServer(app);
}

await checking('Express 4 with compression 1.7', async (check) => {
  await listening(makeServer(), async (port) => {
    // Express responds to an unknown path itself.
    const isServed = ({ name }) => name !== 'an unknown path -> 404';
    await checkRequests(check, port, { how: 'at the root', inPieces: false, isServed });
    for (const [method, path, status] of [
      ['GET', '/v1/reply/unknown', 404], ['GET', '/v1/pet/none', 400], ['OPTIONS', '/v1/pet', 200], ['PATCH', '/v1/pet', 405],
      ['GET', '/v1/private/1', 401], ['POST', '/v1/pet/count', 200], ['GET', '/health', 200],
    ]) {
      await check(`${method} ${path} -> ${status}: the fields of the app are kept, and none is made up`, async () => {
        const { status: got, headers } = await send(port, { method, path });
        assert.equal(got, status);
        assert.deepEqual([headers['cache-control'], headers['set-cookie']], ['no-store', 'session=1; Path=/']);
        assert.deepEqual(Object.keys(headers).filter((name) => name.length < 2), []);
      });
    }
    for (const kind of KINDS) {
      await check(`a reply, ${kind}: gzip, and whole`, async () => {
        const { status, headers, bytes } = await send(port, { method: 'GET', path: `/v1/reply/${kind}`, headers: GZIP });
        assert.deepEqual([status, headers['content-encoding'], headers['content-length']], [200, 'gzip', undefined]);
        assert.ok(gunzipSync(bytes).toString() === LONG);
      });
    }
  });
});
