let token = { value: '', until: 0 };
let renewal: Promise<void> | undefined;

async function renew() {
  const response = await fetch('/v1/session/refresh', { method: 'POST' });
  if (!response.ok) throw new Error('Please sign in again.');
  const { token: value, seconds } = await response.json() as { token: string; seconds: number };
  token = { value, until: Date.now() + (seconds - 30) * 1000 };
}

/** The headers of each call: `client(base, { headers })`. Calls that find an expired token wait for one request. */
export async function headers() {
  if (token.until < Date.now()) await (renewal ??= renew().finally(() => (renewal = undefined)));
  return { Authorization: `Bearer ${token.value}` };
}
