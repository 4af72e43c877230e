/** A store of rate limits in Redis. docs/interceptors.md explains it. */
import type { RateStore } from 'restpoint/interceptors';

// `missing` is how empty a quota is, as a whole number: a request adds the window's length in ms, and each ms gives `limit` back.
// A key is removed when its quota is whole again.
const TAKE = `
  local cost, max, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local kept = redis.call('HMGET', KEYS[1], 'missing', 'at')
  local at = tonumber(kept[2]) or now
  local missing = math.max(0, (tonumber(kept[1]) or 0) - math.max(0, now - at) * limit)
  local allowed = missing + cost <= max
  if allowed then missing = missing + cost end
  if missing > 0 then
    redis.call('HSET', KEYS[1], 'missing', string.format('%.0f', missing), 'at', string.format('%.0f', math.max(now, at)))
    redis.call('PEXPIRE', KEYS[1], math.ceil(missing / limit) + 1)
  end
  return { allowed and 1 or 0, missing }`;

interface Redis {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

export function redisRates(redis: Redis): RateStore {
  return {
    take: async (key, { limit, windowSeconds, cost }) => {
      const numbers = [cost * windowSeconds * 1000, limit * windowSeconds * 1000, limit];
      const [allowed, missing] = await redis.eval(TAKE, { keys: [`rate:${key}`], arguments: numbers.map(String) }) as [number, number];
      return { isAllowed: allowed === 1, fullMs: missing / limit };
    },
  };
}
