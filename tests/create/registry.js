/** A registry of npm that has packages of this machine, and passes on requests for all others to the real one. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const REAL = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
// Package managers can reject packages that are younger than some days.
const TIME = '2020-01-01T00:00:00.000Z';

/** Reads the manifest in a tarball of `npm pack`. */
function manifestIn(tarball) {
  return JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }));
}

/** The document about a package with one version, whose tarball is at this address. */
function packument(tarball, url) {
  const manifest = manifestIn(tarball);
  const { name, version } = manifest;
  const bytes = readFileSync(tarball);
  const dist = {
    tarball: url,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    shasum: createHash('sha1').update(bytes).digest('hex'),
  };
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
    time: { created: TIME, modified: TIME, [version]: TIME },
  };
}

async function passOn({ url, headers }, response) {
  const allHeaders = headers.accept === undefined ? {} : { Accept: headers.accept };
  const upstream = await fetch(new URL(url, REAL), { headers: allHeaders });
  response.writeHead(upstream.status, { 'Content-Type': upstream.headers.get('content-type') ?? 'application/octet-stream' });
  response.end(Buffer.from(await upstream.arrayBuffer()));
}

/** Serves these tarballs. Resolves to the address of the registry, and to a function that closes it. */
export async function serveRegistry(tarballs) {
  const server = createServer((request, response) => {
    const [path] = request.url.split('?');
    const own = responses.get(path);
    if (own !== undefined) response.end(own());
    else passOn(request, response).catch((error) => response.writeHead(502).end(String(error)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const registry = `http://127.0.0.1:${server.address().port}`;
  const responses = new Map(tarballs.flatMap((tarball) => {
    const path = `/${manifestIn(tarball).name}`;
    const document = JSON.stringify(packument(tarball, `${registry}${path}.tgz`));
    return [[path, () => document], [`${path}.tgz`, () => readFileSync(tarball)]];
  }));
  return { registry, close: () => server.close() };
}
