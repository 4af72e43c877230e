/**
 * How long does a process take from its start to its first answer, and how long of it is the import?
 *
 *   node parts/start.js
 *
 * Each contender is a process of its own that serves one endpoint and asks itself for it, spawned in turn, so that what
 * else the machine does falls on all alike. The answer is compared with what it must be. Its program is a file, as a
 * host's is: with --eval, some versions of Node read no file until the first import, which then bears what that loads.
 * `node:http, and an empty module` is node:http again, behind the import of a file in which there is nothing: what Node
 * takes for any module at all.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { median, runIfMain, spread } from '../measuring.js';

export const title = 'Start';

const HERE = dirname(fileURLToPath(import.meta.url));
const DIST = join(HERE, '../../dist/index.js');
const WARM_UP = 3;
const ROUNDS = 31;
const ANSWER = JSON.stringify({ name: 'ant' });

// What a contender's process imports, and how it listens on a free port; it gives the port.
const CONTENDERS = {
  'node:http': {
    imports: `import { createServer } from 'node:http';`,
    serve: `const server = createServer((request, response) => {
      const json = JSON.stringify({ name: request.url.slice(11) });
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': json.length }).end(json);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address();`,
  },
  restpoint: {
    imports: `import { ApiServer, stringId } from ${JSON.stringify(pathToFileURL(DIST).href)};`,
    serve: `const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
    server.registerEndpoint('/animal', { id: stringId, get: (name) => ({ name }) });
    const { address: { port } } = await server.start('127.0.0.1:0');`,
  },
  fastify: {
    imports: `import fastify from 'fastify';`,
    serve: `const server = fastify();
    server.get('/v1/animal/:id', async (request) => ({ name: request.params.id }));
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address();`,
  },
  express: {
    imports: `import express from 'express';`,
    serve: `const server = express();
    server.get('/v1/animal/:id', (request, response) => response.json({ name: request.params.id }));
    const port = await new Promise((resolve) => { const listener = server.listen(0, '127.0.0.1', () => resolve(listener.address().port)); });`,
  },
};

/** The text of a contender's process. It says how long its import took, and when it had its answer. */
function programOf({ imports, serve }) {
  // Static imports are done before the first line; from here on only the contender's own modules are new.
  const dynamic = imports.replace(/import (\{[^}]*\}|\w+) from ('[^']*'|"[^"]*");/g, (_, names, from) => {
    const wanted = names.startsWith('{') ? names : `{ default: ${names} }`;
    return `const ${wanted} = await import(${from});`;
  });
  return `import { connect } from 'node:net';
    const begin = process.hrtime.bigint();
    ${dynamic}
    const imported = process.hrtime.bigint();
    ${serve}
    let answer = '';
    connect(port, '127.0.0.1').on('data', (bytes) => {
      answer += bytes;
      if (!answer.includes('"}')) return;
      const end = process.hrtime.bigint();
      process.stdout.write(JSON.stringify({ importMs: Number(imported - begin) / 1e6, end: String(end), body: answer.slice(answer.indexOf('{')) }), () => process.exit());
    }).write('GET /v1/animal/ant HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');`;
}

/** Milliseconds from the spawn of a process to its first answer, and for its imports. Throws when the answer is wrong. */
function startOnce(name, file) {
  return new Promise((resolve, reject) => {
    const begin = process.hrtime.bigint();
    // hrtime is one clock for all processes of a machine.
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (bytes) => (text += bytes));
    child.on('error', reject);
    child.on('close', () => {
      if (!text.startsWith('{')) return reject(new Error(`${name} did not answer`));
      const { importMs, end, body } = JSON.parse(text);
      // Chunked where a framework sends it so, which the size before it shows.
      if (!body.includes(ANSWER)) return reject(new Error(`${name} answered ${body}`));
      return resolve({ answerMs: Number(BigInt(end) - begin) / 1e6, importMs });
    });
  });
}

/** Bare node:http that imports, before that, a module of its own in which there is nothing. */
function behindAnEmptyModule(folder) {
  const file = join(folder, 'empty.js');
  writeFileSync(file, '');
  const { imports, serve } = CONTENDERS['node:http'];
  return { imports: `import {} from ${JSON.stringify(pathToFileURL(file).href)};\n${imports}`, serve };
}

const { resolve } = createRequire(import.meta.url);
const isInstalled = (name) => {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
};

async function compare(contenders, folder, progress) {
  const names = Object.keys(contenders);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  const files = names.map((_, index) => join(folder, `${index}.js`));
  for (const [index, name] of names.entries()) writeFileSync(files[index], programOf(contenders[name]));
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    if (round % 10 === 0) progress(`${title}: round ${round} of ${WARM_UP + ROUNDS}`);
    for (const [index, name] of names.entries()) {
      const time = await startOnce(name, files[index]);
      if (round >= WARM_UP) times[name].push(time);
    }
  }
  const bare = times['node:http'];
  const data = Object.fromEntries(names.map((name) => [name, {
    answerMs: spread(times[name].map(({ answerMs }) => answerMs)),
    importMs: median(times[name].map(({ importMs }) => importMs)),
    overBareMs: spread(times[name].map(({ answerMs }, round) => answerMs - bare[round].answerMs)),
  }]));
  const ms = (value) => value.toFixed(1);
  const rows = names.map((name) => {
    const { answerMs, importMs, overBareMs } = data[name];
    return [name, `${ms(answerMs.median)} ms`, `${ms(importMs)} ms`, `${ms(overBareMs.median)} (${ms(overBareMs.lower)} to ${ms(overBareMs.upper)}) ms`];
  });
  const notes = [
    `Medians of ${ROUNDS} rounds, a process for each; the difference is taken round by round, with its quartiles.`,
    'With an empty module, node:http is imported behind a file in which there is nothing: what Node takes for any module at all.',
  ];
  return { columns: ['', 'first answer after', 'of it import', 'over node:http'], rows, notes, data };
}

export async function run({ progress }) {
  const folder = mkdtempSync(join(HERE, 'start-'));
  try {
    const contenders = { ...CONTENDERS, 'node:http, and an empty module': behindAnEmptyModule(folder) };
    for (const name of ['fastify', 'express']) if (!isInstalled(name)) delete contenders[name];
    return await compare(contenders, folder, progress);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await runIfMain(import.meta.url, title, run);
