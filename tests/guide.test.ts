/** The programs of the guide in docs compile after each step, and behave as the guide shows. Their files stay in build/guide, for readers. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';
import { isEnough, isShown, runCurl, SHOWN_ADDRESS } from './support/curl.ts';
import { until } from './support/gate.ts';
import { GUIDE_PAGES, guide, scenesOf, type Scene } from './support/guide.ts';
import { fencesOf, type Shown } from './support/markdown.ts';
import { head } from './support/messages.ts';
import { RawClient } from './support/raw-client.ts';
import { withBlock } from './support/shown-files.ts';

// Inside the package, so that `restpoint` resolves to the package itself.
const folder = join(process.cwd(), 'build', 'guide');
const scenes = scenesOf(guide);
const END = scenes.at(-1)?.name ?? '';
/** A command that makes a file, which all steps after it have too. */
const MAKES_FILE = /^node -e "(.+)"$/;
const steps = suite('the steps of the guide');

steps('all compile, each with the steps before it', async () => {
  await rm(folder, { recursive: true, force: true });
  for (const { name, files } of scenes) {
    await mkdir(join(folder, name), { recursive: true });
    for (const [file, code] of files) await writeFile(join(folder, name, file), code);
  }
  const config = { extends: '../../examples/tsconfig.json', compilerOptions: { rootDir: '.', outDir: 'out', skipLibCheck: true }, include: ['*/*.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = new Child(['node_modules/typescript/bin/tsc', '-p', folder]);
  assert.is(await compiler.exit(), 0, compiler.output);
  for (const [at, { commands }] of scenes.entries()) {
    for (const { command } of commands) {
      const [, code] = MAKES_FILE.exec(command) ?? [];
      if (code === undefined) continue;
      for (const { name } of scenes.slice(at)) assert.is(await new Child(['-e', code], {}, join(folder, name)).exit(), 0, name);
    }
  }
  // The files stay as they are printed. The programs of this test listen at any port.
  for (const { name, files } of scenes) {
    for (const file of files.keys()) await listenAnywhere(join(folder, 'out', name, file.replace(/ts$/, 'js')));
  }
});

async function listenAnywhere(program: string): Promise<void> {
  await writeFile(program, (await readFile(program, 'utf8')).replace(SHOWN_ADDRESS, '127.0.0.1:0'));
}

/** The arguments of Node for a command such as `node main.ts`. */
function argumentsOf(scene: Scene, command: string): string[] {
  const [, options = '', file = ''] = /^node ((?:--\w+ )*)(\w[\w.]*)\.ts$/.exec(command) ?? [];
  assert.ok(file !== '', `what this test cannot run: ${command}`);
  return [...options.split(' ').filter(Boolean), join(folder, 'out', scene.name, `${file}.js`)];
}

/** Runs a program that ends, or waits until one that serves listens. Compares its output. */
async function runProgram(child: Child, { command, printed: shown }: Shown): Promise<string> {
  const [, serves] = /^(listening on) http/m.exec(shown) ?? [];
  if (serves === undefined) {
    assert.is(await child.exit(), 0, child.output);
    if (shown !== '') assert.is(child.output.trimEnd(), shown, command);
    return '';
  }
  const [, url = ''] = await child.printed(/listening on (\S+)\n/);
  assert.is(child.output.replace(url, `http://${SHOWN_ADDRESS}`).trimEnd(), shown, command);
  return url;
}

for (const scene of scenes.filter(({ commands }) => commands.length > 0)) {
  const [first] = scene.commands;
  const startsItself = first?.command.startsWith('node ') === true;
  steps(`${scene.heading}: ${first?.command} and the following commands print the output in the guide`, async () => {
    const child = new Child(argumentsOf(scene, startsItself ? first.command : 'node main.ts'));
    try {
      const url = startsItself ? await runProgram(child, first) : (await child.printed(/listening on (\S+)\n/))[1] ?? '';
      for (const { command, printed: shown } of scene.commands.slice(startsItself ? 1 : 0)) {
        if (MAKES_FILE.test(command)) continue;
        const printed = await runCurl(command, url, join(folder, scene.name), (text) => isEnough(text, shown));
        assert.ok(isShown(printed, shown), `${command} printed\n${printed}\nand the guide shows\n${shown}`);
      }
    } finally {
      await child.end();
    }
  });
}

steps('end with a program that a signal stops, also while it sends events', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const child = new Child([join(folder, 'out', END, 'main.js')]);
    const [, url = ''] = await child.printed(/listening on (\S+)\n/);
    const events = await fetch(`${url}/v1/tick`);
    assert.is(await child.end(signal), 0);
    assert.match(await events.text(), /^id: 1\ndata: 1\n\n/);
    assert.match(child.output, /stopped\n$/);
  }
});

steps('show a file as it is now only if it is so', () => {
  const files = withBlock(new Map(), '// pet.ts\nlet pet;\n');
  assert.is(withBlock(files, '// pet.ts, as it is now\nlet pet;\n').get('pet.ts'), 'let pet;\n');
  assert.throws(() => withBlock(files, '// pet.ts, as it is now\nlet other;\n'), 'a file that is shown otherwise than it is now:\nlet pet;');
});

steps('have the photo from the step on that sends it', async () => {
  const having = scenes.map(({ name }) => name).filter((name) => existsSync(join(folder, name, 'rex.png')));
  assert.equal(having.filter((name) => Number(/\d+/.exec(name)?.[0]) < 18), []);
  assert.is(having.at(-1), END);
  const photo = await readFile(join(folder, 'step-18', 'rex.png'));
  assert.is(photo.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  assert.is(photo.subarray(-8, -4).toString('latin1'), 'IEND');
});

steps('are all seen by this test', async () => {
  assert.equal(GUIDE_PAGES.toSorted(), (await readdir('docs')).filter((name) => name.startsWith('guide')).toSorted());
  const fences = fencesOf(guide);
  assert.is(fences.length * 2, guide.match(/^```/gm)?.length);
  assert.equal([...new Set(fences.map(({ language }) => language))].toSorted(), ['console', 'ts']);
  assert.is(scenes.flatMap(({ commands }) => commands).length, guide.match(/^\$ /gm)?.length);
});

steps('let no keeper change the note of another, and nobody without a token', async () => {
  const child = new Child([join(folder, 'out', END, 'main.js')]);
  try {
    const [, url = ''] = await child.printed(/listening on (\S+)\n/);
    const ask = (method: string, path: string, token?: string): Promise<Response> => {
      const headers = { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
      return fetch(`${url}/v1/note${path}`, { method, headers, ...(method !== 'DELETE' && { body: '{"text":"new"}' }) });
    };
    for (const [method, path] of [['POST', ''], ['PUT', '/1'], ['DELETE', '/1'], ['POST', '/clear']] as const) {
      assert.is((await ask(method, path)).status, 401, `${method} ${path}`);
    }
    assert.is(await (await ask('POST', '', 'token-of-bob')).text(), '2');
    for (const method of ['PUT', 'DELETE']) assert.is((await ask(method, '/2', 'token-of-ann')).status, 403, method);
    // A new note has an id that no other has had.
    assert.is((await ask('DELETE', '/1', 'token-of-ann')).status, 204);
    assert.is(await (await ask('POST', '', 'token-of-ann')).text(), '3');
    assert.equal(await (await fetch(`${url}/v1/note/2`)).json(), { by: 'Bob', text: 'new' });
  } finally {
    await child.end();
  }
});

steps('have an upload that leaves the photo as it was when the client leaves', async () => {
  const child = new Child([join(folder, 'out', END, 'main.js')]);
  try {
    const [, url = ''] = await child.printed(/listening on (\S+)\n/);
    const photo = `${url}/v1/pet/9/photo`;
    const headers = { 'Content-Type': 'image/png', Authorization: 'Bearer token-of-ann' };
    assert.is((await fetch(photo, { method: 'PUT', headers, body: 'whole' })).status, 204);
    const client = await RawClient.connect(Number(new URL(url).port));
    const allHeaders = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    client.send(head('PUT', '/v1/pet/9/photo', [...allHeaders, 'Content-Length: 100']) + 'a part');
    const hasPart = (): boolean => readdirSync(join(folder, 'out', END, 'photos')).some((name) => name.endsWith('.part'));
    await until(hasPart, 'the part to be begun');
    client.destroy();
    await until(() => !hasPart(), 'the part to be removed');
    assert.is(await (await fetch(photo)).text(), 'whole');
  } finally {
    await child.end();
  }
});
steps.run();
