/** A rate limit of several processes, in Redis. docs/interceptors.md explains it. */
import { createClient } from 'redis';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { rateLimit } from 'restpoint/interceptors';
import { redisRates } from './redis-rates.ts';

// While Redis is away, a request does not wait for it.
const redis = createClient({ url: process.env['REDIS_URL'] ?? '', disableOfflineQueue: true });
redis.on('error', (error) => console.error(String(error)));
await redis.connect();

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    use: rateLimit({ limit: 100, windowSeconds: 3600, store: redisRates(redis), onStoreError: 'allow' }),
    get: (id) => ({ id }),
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
