/** The metadata of protected resources: where it is, what it says, and which hosts a request can name (RFC 9728). */
import {
  checkResource, describeResource, findBase, findResourceUrl, listMetadataPaths, locateMetadata, type ProtectedResource,
} from '../../src/http/protected-resource.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const SERVERS = ['https://login.example'] as const;

const places = suite('U11: the place of the metadata of a resource');
// RFC 9728 section 3.1: between the host and the path.
for (const [resource, metadata] of [
  ['https://api.example', 'https://api.example/.well-known/oauth-protected-resource'],
  ['https://api.example/v1', 'https://api.example/.well-known/oauth-protected-resource/v1'],
  ['https://api.example:8443/a/v1', 'https://api.example:8443/.well-known/oauth-protected-resource/a/v1'],
  ['http://[::1]:8080/mcp', 'http://[::1]:8080/.well-known/oauth-protected-resource/mcp'],
] as const) {
  places(`${resource} -> ${metadata}`, () => assert.is(locateMetadata(resource), metadata));
}
for (const [url, path, resource, paths] of [
  [undefined, '', 'http://a', ['']],
  [undefined, '/v1', 'http://a/v1', ['/v1']],
  ['https://api.example', '/v1', 'https://api.example/v1', ['/v1']],
  ['https://api.example/pets', '/v1', 'https://api.example/pets/v1', ['/v1', '/pets/v1']],
  ['https://api.example/pets', '', 'https://api.example/pets', ['', '/pets']],
] as const) {
  places(`with url ${String(url)}, of the path ${JSON.stringify(path)} -> resource ${resource}, served at ${paths.join(' and ') || 'the beginning'}`, () => {
    const checked = checkResource({ authorizationServers: SERVERS, ...(url !== undefined && { url }) }, 'r');
    assert.is(findResourceUrl(checked, { base: 'http://a', path }), resource);
    assert.equal(listMetadataPaths(checked.url, path), paths.map((each) => `/.well-known/oauth-protected-resource${each}`));
  });
}
places('is not known without a url and an origin', () => {
  assert.is(findResourceUrl({ authorizationServers: SERVERS }, { base: undefined, path: '/v1' }), undefined);
});

const contents = suite('the metadata of a resource');
contents('has the members of RFC 9728', () => {
  assert.equal(describeResource({ authorizationServers: SERVERS, scopes: ['a', 'b'] }, 'https://api.example/v1'), {
    resource: 'https://api.example/v1', authorization_servers: SERVERS, scopes_supported: ['a', 'b'], bearer_methods_supported: ['header'],
  });
  assert.is('scopes_supported' in describeResource({ authorizationServers: SERVERS }, 'https://a'), false);
});

const options = suite('the option resource');
for (const [url, checked] of [
  ['https://api.example', 'https://api.example'], ['https://api.example/', 'https://api.example'], ['HTTPS://API.example:443/a//', 'https://api.example/a'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
] as const) {
  options(`url ${url} -> ${checked}`, () => assert.is(checkResource({ url, authorizationServers: SERVERS }, 'r').url, checked));
}
for (const [given, text] of [
  [null, 'r must be an object: null'],
  [{}, "r.authorizationServers is required: ['https://login.example']"],
  [{ authorizationServers: [] }, 'r.authorizationServers must have a URL, such as https://login.example'],
  [{ authorizationServers: 'https://a' }, 'r.authorizationServers must be a list of strings: https://a'],
  [{ authorizationServers: ['a'] }, 'r.authorizationServers[0] must be a URL that begins with https:// or http://: "a"'],
  [{ authorizationServers: ['https://a', 'ftp://b'] }, 'r.authorizationServers[1] must be a URL that begins with https:// or http://: "ftp://b"'],
  [{ authorizationServers: SERVERS, url: 'api.example' }, 'r.url must be a URL that begins with https:// or http://: "api.example"'],
  [{ authorizationServers: SERVERS, url: 'https://a/?b' },
    'r.url must be a URL without a user, a query and a fragment, such as https://api.example: "https://a/?b"'],
  [{ authorizationServers: SERVERS, url: 'https://a/#' },
    'r.url must be a URL without a user, a query and a fragment, such as https://api.example: "https://a/#"'],
  [{ authorizationServers: SERVERS, url: 'https://ann@a' },
    'r.url must be a URL without a user, a query and a fragment, such as https://api.example: "https://ann@a"'],
  [{ authorizationServers: SERVERS, url: 'https://:secret@a' },
    'r.url must be a URL without a user, a query and a fragment, such as https://api.example: "https://:secret@a"'],
  [{ authorizationServers: ['https://a?b'] },
    'r.authorizationServers[0] must be a URL without a user, a query and a fragment, such as https://api.example: "https://a?b"'],
  [{ authorizationServers: ['https://ann:secret@a'] },
    'r.authorizationServers[0] must be a URL without a user, a query and a fragment, such as https://api.example: "https://ann:secret@a"'],
  [{ authorizationServers: ['https://a\n'] }, 'r.authorizationServers[0] must be a URL that begins with https:// or http://: "https://a\\n"'],
  [{ authorizationServers: ['https://a '] }, 'r.authorizationServers[0] must be a URL that begins with https:// or http://: "https://a "'],
  [{ authorizationServers: SERVERS, scopes: ['a b'] }, 'r.scopes must be scopes without a space, a quote and a backslash: "a b"'],
  [{ authorizationServers: SERVERS, scopes: ['a"'] }, 'r.scopes must be scopes without a space, a quote and a backslash: "a\\""'],
  [{ authorizationServers: SERVERS, scope: ['a'] }, 'unknown option r.scope: did you mean scopes? It can be one of url, authorizationServers, scopes'],
] as const) {
  options(`${text} -> TypeError`, () => assert.throws(() => checkResource(given, 'r'), isTypeError(text)));
}

const hosts = suite('U13: the origin that a request names');
const NO_PROXY = { url: undefined };
const LOCAL = { allowedHosts: undefined, proxy: NO_PROXY };
const ALLOWED = new Set(['api.example', '[::1]']);
for (const [host, allowed, origin] of [
  ['localhost', undefined, 'http://localhost'], ['LOCALHOST:80', undefined, 'http://localhost'], ['127.0.0.1:8080', undefined, 'http://127.0.0.1:8080'],
  ['127.9.9.9', undefined, 'http://127.9.9.9'], ['[::1]:8080', undefined, 'http://[::1]:8080'],
  ['[::1]@evil.example', undefined, undefined], ['[::1]:80@evil.example', undefined, undefined], ['[::1].evil.example', ALLOWED, undefined],
  ['api.example', undefined, undefined], ['localhost.evil.example', undefined, undefined], ['127.0.0.1.evil.example', undefined, undefined],
  ['10.0.0.1', undefined, undefined], ['evil.example:127.0.0.1', undefined, undefined], ['', undefined, undefined], [undefined, undefined, undefined],
  ['api.example:8080', ALLOWED, 'http://api.example:8080'], ['API.EXAMPLE', ALLOWED, 'http://api.example'], ['localhost', ALLOWED, undefined],
  ['evil.example', ALLOWED, undefined], ['api.example@evil.example', ALLOWED, undefined], ['api.example:99999', ALLOWED, undefined],
] as const) {
  hosts(`Host: ${String(host)}, ${allowed === undefined ? 'without allowedHosts' : 'with allowedHosts'} -> ${String(origin)}`, () => {
    const rawHeaders = host === undefined ? [] : ['Host', host];
    assert.is(findBase({ url: '/', rawHeaders, isSecure: false }, { allowedHosts: allowed, proxy: NO_PROXY }), origin);
  });
}
hosts('is https with TLS, and that of a target in absolute-form', () => {
  const request = { url: 'http://localhost:1/v1', rawHeaders: ['Host', 'evil.example'], isSecure: true };
  assert.is(findBase(request, LOCAL), 'https://localhost:1');
  assert.is(findBase({ ...request, url: 'http://evil.example/v1', rawHeaders: ['Host', 'localhost'] }, LOCAL), undefined);
});
hosts('is not that of a proxy\'s headers, which a client can send', () => {
  const rawHeaders = ['Host', 'localhost', 'X-Forwarded-Host', 'evil.example', 'X-Forwarded-Proto', 'https', 'Forwarded', 'host=evil.example'];
  assert.is(findBase({ url: '/', rawHeaders, isSecure: false }, LOCAL), 'http://localhost');
  assert.is(findBase({ rawHeaders, isSecure: false }, { ...LOCAL, proxy: { url: 'https://api.example/zoo' } }), 'https://api.example/zoo');
});

// The type of the option is the type after its check.
checkResource({ authorizationServers: SERVERS }, 'r') satisfies ProtectedResource;
