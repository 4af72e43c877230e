/** The identity provider of the tests: `oidc-provider`, with clients that register themselves, and a user who signs in by forms. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const SCOPES = ['pet:read', 'pet:write'];

/** Starts an identity provider that issues JWTs for any resource. */
export async function startProvider() {
  let serve;
  const http = createServer((request, response) => serve(request, response)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${http.address().port}`;
  const provider = new Provider(issuer, {
    cookies: { keys: ['secret'] },
    scopes: ['openid', 'offline_access', ...SCOPES],
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({ audience: resource, scope: SCOPES.join(' '), accessTokenFormat: 'jwt' }),
      },
    },
  });
  serve = provider.callback();
  const stop = () => {
    http.close();
    http.closeAllConnections();
  };
  return { issuer, stop };
}

/** Walks through the pages of an authorization as a browser does. Resolves to the URL that it redirects to at its end. */
export async function signIn(authorizationUrl, redirectUrl) {
  const cookies = new Map();
  const send = async (url, init = {}) => {
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  let url = new URL(authorizationUrl);
  for (let steps = 0; steps < 20; steps += 1) {
    if (url.href.startsWith(redirectUrl)) return url;
    let response = await send(url);
    if (response.status === 200) {
      const page = await response.text();
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(page);
      const [, prompt] = /name="prompt" value="([^"]+)"/.exec(page);
      const form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: 'ann', password: 'any' }) });
      response = await send(new URL(action, url), { method: 'POST', body: form });
    }
    if (!response.headers.has('location')) throw new Error(`${response.status} from ${url}: ${await response.text()}`);
    url = new URL(response.headers.get('location'), url);
  }
  throw new Error('the authorization does not end');
}
