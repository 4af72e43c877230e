/**
 * Every TypeScript block of these documents is a program that compiles, runs, and behaves as the text around it says. The README's program needs Zod, so
 * `.ci/first-program.js` runs that.
 */
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, created, defineEndpoint, integerId } from '../src/index.ts';
import { makeCertificate } from './support/certificate.ts';
import { Child } from './support/child.ts';
import { SHOWN_ADDRESS } from './support/curl.ts';
import { installSwaggerUi } from './support/installed-package.ts';
import { readFences } from './support/markdown.ts';

// Inside the package, so that `restpoint` resolves to the package itself.
const folder = join(process.cwd(), 'build', 'documents');
const readme = await readFile('README.md', 'utf8');
const testing = await readPage('testing');
const observers = await readPage('logging');
const deployment = await readPage('deployment');
const programs = new Map([
  ...takePrograms(testing, 'free-port', 'checks.test'), ...takePrograms(await readPage('openapi'), 'document', 'swagger-ui'),
  ...takePrograms(observers, 'observe'), ...takePrograms(deployment, 'tls'),
  ...takePrograms(await readPage('mcp'), 'zoo'),
]);

function readPage(name: string): Promise<string> {
  return readFile(join('docs', `${name}.md`), 'utf8');
}

/** The common name in the certificate of a server. */
async function servedName(port: number): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

/** Programs of a document, by their names. `tests/compat/recipes.from-22.peer.js` runs the ones with commands. */
function takePrograms(markdown: string, ...names: readonly string[]): [name: string, code: string][] {
  return names.map((name) => {
    const code = fences(markdown, 'ts').find((each) => each.startsWith(`// ${name}.ts\n`));
    if (code === undefined) throw new Error(`no block of the document is ${name}.ts`);
    return [name, code];
  });
}

function fences(markdown: string, language: string): string[] {
  return readFences(markdown).filter((fence) => fence.language === language).map(({ text }) => text);
}

/** The text under a heading of a document. */
function section(heading: string, markdown: string): string {
  const [, after = ''] = markdown.split(`\n## ${heading}\n`);
  return after.split('\n## ')[0] ?? '';
}

/** The output that a document shows after the word "prints", for the first time or for a later one. */
function shownAfterPrints(markdown: string, index = 0): string {
  return [...markdown.matchAll(/prints\n\n```text\n(.*?)```/gs)][index]?.[1] ?? 'nothing is shown';
}

/** A request to a block that serves, and its response: method, path, body, then status and text. */
type Case = readonly [method: string, path: string, body: string | undefined, status: number, expected: RegExp];

const SERVED: Readonly<Record<string, { readonly title: string; readonly cases: readonly Case[] }>> = {
  document: {
    title: 'the document',
    cases: [
      ['GET', '/openapi.json', undefined, 200, /"operationId":"petGet".*"operationId":"petDelete"/],
      ['GET', '/v1/pet/2', undefined, 404, /Not found/],
    ],
  },
  zoo: {
    title: 'tools for models',
    cases: [
      ['POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 200,
        /"tools":\[\{"name":"petGet","title":"Get pet","description":"Reads the name of a pet\."/],
      ['POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"petGet","arguments":{"id":1}}}',
        200, /"structuredContent":\{"value":"Rex"\}/],
      ['POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"petDelete","arguments":{"id":1}}}', 200, /-32602/],
    ],
  },
  'swagger-ui': {
    title: 'the page',
    cases: [
      ['GET', '/docs', undefined, 200, /^<!doctype html>.*src="\/docs\/page\.js"/s],
      ['GET', '/docs/page.js', undefined, 200, /"\/openapi\.json"/],
      ['GET', '/docs/swagger-ui.css', undefined, 200, /^css/],
      ['GET', '/openapi.json', undefined, 200, /"One pet"/],
    ],
  },
};

const compiled = suite('the blocks of these documents');

compiled('all compile', async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([...programs].map(([name, code]) => writeFile(join(folder, `${name}.ts`), code.replace(SHOWN_ADDRESS, '127.0.0.1:0'))));
  await installSwaggerUi(folder);
  const config = { extends: '../../examples/tsconfig.json', compilerOptions: { rootDir: '.', outDir: 'out', skipLibCheck: true }, include: ['*.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = new Child(['node_modules/typescript/bin/tsc', '-p', folder]);
  assert.is(await compiler.exit(), 0, compiler.output);
});

for (const [name, { title, cases }] of Object.entries(SERVED)) {
  compiled(`${name}, ${title}: serves as the text says, and ends on SIGTERM`, async () => {
    const child = new Child([join(folder, 'out', `${name}.js`)], {}, folder);
    try {
      const [, url = ''] = await child.waitForOutput(/(?:listening on|the page is at) (http:\/\/[^\s/]+)/);
      for (const [method, path, body, status, expected] of cases) {
        const headers = { 'Content-Type': 'application/json' };
        const response = await fetch(url + path, body === undefined ? { method } : { method, body, headers });
        assert.is(response.status, status, `${method} ${path}`);
        assert.match(await response.text(), expected);
      }
    } finally {
      await child.end();
    }
  });
}

for (const [name, title, shown] of [
  ['free-port', 'testing with a free port', shownAfterPrints(testing)],
  ['observe', 'a line for each request', shownAfterPrints(observers)],
] as const) {
  compiled(`${name}, ${title}: prints the output in the document, and ends`, async () => {
    const child = new Child([join(folder, 'out', `${name}.js`)]);
    assert.is(await child.exit(), 0);
    assert.is(child.output, shown);
  });
}

compiled('checks: pass in node:test, and reach all but what has no JSON Schema', async () => {
  const child = new Child([join(folder, 'out', 'checks.test.js')]);
  assert.is(await child.exit(), 0, child.output);
  assert.match(child.output, /POST \/v1\/pet: Location leads to an item, at GET \/v1\/pet\/:id/);
  const unreached = [...child.output.matchAll(/skipped: .*?(?= \(| # |\n|$)/g)].map(([name]) => name);
  assert.equal(new Set(unreached), new Set(['POST /v1/pet', 'PUT /v1/pet/:id'].map((route) => {
    return `skipped: ${route}: a value that its schema rejects: it has no JSON Schema that rejects one`;
  })));
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  compiled(`TLS: serves with its certificate, reads it again on SIGHUP, and ends on ${signal} with 0`, async () => {
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const write = async (name: string): Promise<void> => {
      const { cert, key } = makeCertificate(name);
      await Promise.all([writeFile(files.cert, cert), writeFile(files.key, key)]);
    };
    await write('old');
    const child = new Child([join(folder, 'out', 'tls.js')], { TLS_CERT: files.cert, TLS_KEY: files.key });
    const [, port = ''] = await child.waitForOutput(/listening on https:\/\/127\.0\.0\.1:(\d+)/);
    assert.is(await servedName(Number(port)), 'old');
    await write('new');
    child.send('SIGHUP');
    await child.waitForOutput(/the certificate is replaced/);
    assert.is(await servedName(Number(port)), 'new');
    assert.is(await child.end(signal), 0);
  });
}

compiled('of docs/deployment.md for systemd and Kubernetes are files of the examples, or parts of them', async () => {
  const read = (path: string): Promise<string> => readFile(join('examples', path), 'utf8');
  assert.equal(fences(deployment, 'ini'), await Promise.all(['deploy/restpoint.socket', 'deploy/restpoint.service'].map(read)));
  const [pod = ''] = fences(deployment, 'yaml');
  assert.ok(pod.length > 100 && (await read('deploy/kubernetes.yaml')).startsWith(pod), pod);
});

compiled('of the README get what it says of create', async () => {
  const [, type, location] = /`create` sends the id as `([^`]+)`, and `Location: ([^`]+)`\. To send JSON, return \[`created\(id, body\)`\]/.exec(readme) ?? [];
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
  const schema = (pet: unknown): unknown => pet;
  const send = async (path: string): Promise<(string | null)[]> => {
    const response = await server.fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    return [String(response.status), ...['Content-Type', 'Location'].map((name) => response.headers.get(name)), await response.text()];
  };
  server.registerEndpoints({
    '/pet': defineEndpoint({ id: integerId, schema, create: () => 2 }),
    '/json': defineEndpoint({ id: integerId, schema, create: () => created(2, { name: 'Asp' }) }),
  });
  assert.equal(await send('/v1/pet'), ['201', `${type}; charset=utf-8`, location, '2']);
  assert.equal(await send('/v1/json'), ['201', 'application/json', '/v1/json/2', '{"name":"Asp"}']);
});

compiled('of the README mention only commands that package.json has', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
  assert.equal(fences(section('The repository', readme), 'sh'), ['npm install && npm start\n', 'npm install && npm test\n']);
  assert.ok('start' in scripts && 'test' in scripts);
});
compiled.run();
