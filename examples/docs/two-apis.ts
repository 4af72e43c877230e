import { ApiServer, defineEndpoint, integerId } from 'restpoint';

const shop = new ApiServer('/v1', { limits: { bodyBytes: 10_000 } });
shop.registerEndpoints({ '/pet': defineEndpoint({ id: integerId, get: (id) => ({ id, name: 'Rex' }) }) });

const admin = new ApiServer('/admin', {
  limits: { bodyBytes: 10_000_000 },
  formatProblem: ({ status, title }) => ({ body: { error: { code: status, message: title } } }),
});
admin.registerEndpoints({ '/log': defineEndpoint({ id: integerId, get: () => undefined, list: () => [] }) });

shop.use(admin.requestListener);
const started = await shop.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
