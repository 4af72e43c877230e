import { ApiServer, defineEndpoint, integerId } from 'restpoint';

const server = new ApiServer('/v1');
server.use((request, response, next) => {
  const { method, url = '' } = request;
  const began = performance.now();
  response.once('close', () => {
    const ms = Math.round(performance.now() - began);
    // No headers and no query, which have tokens, keys and cookies.
    console.log(JSON.stringify({ method, path: url.split('?', 1)[0], status: response.statusCode, ms }));
  });
  next();
});
server.registerEndpoints({ '/pet': defineEndpoint({ id: integerId, get: (id) => ({ id }) }) });

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
