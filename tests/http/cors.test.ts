/** The option `cors`: what it accepts, and the message for what it rejects. */
import { checkCors, isOrigin } from '../../src/http/cors.ts';
import { ApiServer } from '../../src/index.ts';
import { assert, suite } from '../support/facts.ts';

const MUST = 'must be an origin as browsers send it, such as';

const accepted = suite('X8: the origins that the option cors takes');
for (const origin of [
  'https://app.example', 'http://localhost:5173', 'http://127.0.0.1:8080', 'https://[::1]:8080', 'https://xn--bcher-kva.example', 'null',
  'capacitor://localhost', 'tauri://localhost', 'chrome-extension://abcdefghijklmnop', 'moz-extension://8c7c4444-0000-4000-8000-000000000000',
]) {
  accepted(origin, () => assert.equal(checkCors({ origins: [origin] }, 'cors').origins, new Set([origin])));
}
accepted('none', () => {
  assert.equal(checkCors({ origins: [] }, 'cors'), { origins: new Set(), credentials: false, maxAgeSeconds: 600, allowHeaders: [], exposeHeaders: [] });
});
accepted('all', () => assert.is(checkCors({ origins: '*' }, 'cors').origins, '*'));
accepted('those of a function', () => {
  const origins = (): boolean => true;
  assert.is(checkCors({ origins, credentials: true }, 'cors').origins, origins);
});

const rejected = suite('X8: an option cors that is rejected');
for (const [options, message] of [
  [{ origins: ['https://app.example/'] }, `cors.origins[0] ${MUST} "https://app.example": "https://app.example/"`],
  [{ origins: ['https://app.example/path'] }, `cors.origins[0] ${MUST} "https://app.example": "https://app.example/path"`],
  [{ origins: ['https://app.example:443'] }, `cors.origins[0] ${MUST} "https://app.example": "https://app.example:443"`],
  [{ origins: ['http://app.example:80'] }, `cors.origins[0] ${MUST} "http://app.example": "http://app.example:80"`],
  [{ origins: ['null', 'HTTPS://App.Example'] }, `cors.origins[1] ${MUST} "https://app.example": "HTTPS://App.Example"`],
  [{ origins: ['https://bücher.example'] }, `cors.origins[0] ${MUST} "https://xn--bcher-kva.example": "https://bücher.example"`],
  [{ origins: ['https://ann@app.example'] }, `cors.origins[0] ${MUST} "https://app.example": "https://ann@app.example"`],
  [{ origins: ['blob:https://app.example/7'] }, `cors.origins[0] ${MUST} "https://app.example": "blob:https://app.example/7"`],
  [{ origins: ['https://app.example, https://b.example'] }, `cors.origins[0] ${MUST} "https://app.example": "https://app.example, https://b.example"`],
  [{ origins: ['app.example'] }, `cors.origins[0] ${MUST} "https://app.example": "app.example"`],
  [{ origins: [''] }, `cors.origins[0] ${MUST} "https://app.example": ""`],
  [{ origins: ['Null'] }, `cors.origins[0] ${MUST} "https://app.example": "Null"`],
  [{ origins: ['file:///index.html'] }, `cors.origins[0] ${MUST} "https://app.example": "file:///index.html"`],
  [{ origins: ['Capacitor://localhost'] }, `cors.origins[0] ${MUST} "https://app.example": "Capacitor://localhost"`],
  [{ origins: ['https://*.app.example'] }, 'cors.origins[0] must not have a wildcard: "https://*.app.example". Use a function'],
  [{ origins: ['*'] }, 'cors.origins[0] must not have a wildcard: "*". Use a function'],
  [{ origins: 'https://app.example' }, "cors.origins must be '*', a list of origins, or a function: https://app.example"],
  [{ origins: [/app/] }, 'cors.origins must be a list of strings: /app/'],
  [{ origins: true }, "cors.origins must be '*', a list of origins, or a function: true"],
  [{}, "cors.origins is required: ['https://app.example']"],
  [{ origins: '*', credentials: true }, "cors.credentials needs a list of origins, or a function: '*' would trust every page with the cookies of its visitors"],
  [{ origins: [], credentials: 'include' }, 'cors.credentials must be a boolean: include'],
  [{ origins: [], maxAgeSeconds: -1 }, 'cors.maxAgeSeconds must be a whole number from 0 to 86400: -1'],
  [{ origins: [], maxAgeSeconds: 86_401 }, 'cors.maxAgeSeconds must be a whole number from 0 to 86400: 86401'],
  [{ origins: [], allowHeaders: ['X-A', '*'] }, 'cors.allowHeaders must be names of headers, such as X-Request-Id: "*"'],
  [{ origins: [], exposeHeaders: ['X-A\r\nX-B'] }, 'cors.exposeHeaders must be names of headers, such as X-Request-Id: "X-A\\r\\nX-B"'],
  [{ origins: [], exposeHeaders: 'X-A' }, 'cors.exposeHeaders must be a list of strings: X-A'],
  [{ origin: [] }, 'unknown option cors.origin: did you mean origins? It can be one of origins, credentials, maxAgeSeconds, allowHeaders, exposeHeaders'],
  [true, 'cors must be an object: true'],
] as const) {
  rejected(message, () => {
    const isExpected = (error: unknown): boolean => {
      assert.instance(error, TypeError);
      assert.is((error as Error).message, message);
      return true;
    };
    assert.throws(() => new ApiServer('/v1', { cors: options as never }), isExpected);
  });
}

const functions = suite('X5: the origins that a function is asked for');
for (const origin of ['https://app.example', 'http://[::1]:8080', 'capacitor://localhost', 'https://a_b.example', `https://${'a'.repeat(286)}:65535`]) {
  functions(`${origin} is one`, () => {
    assert.is(isOrigin(origin), true);
  });
}
for (const origin of [
  'null', '', 'app.example', 'https://', 'https://app.example/', 'https://app.example, https://b.example', 'https://app.example https://b.example', 'https://a@b',
  'https://app.example#', 'https://app.example?', 'https://app.example\\.b.example', 'https://App.example', 'https://app.example:', 'https://app.ex\u00e4mple', 'https://a,b', 'https://*',
  "https://a'.example", `https://${'a'.repeat(287)}:65535`, 'https://[::1', '//app.example', ' https://app.example',
]) {
  functions(`${JSON.stringify(origin)} is not`, () => {
    assert.is(isOrigin(origin), false);
  });
}
