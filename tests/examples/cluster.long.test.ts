/** The cluster of the examples: its workers are restarted one by one, and no request is lost. */
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Clients } from '../restarts/clients.ts';
import { roll } from '../restarts/rolling.ts';
import { Child } from '../support/child.ts';
import { assert, suite } from '../support/facts.ts';

const rolling = suite('rolling restarts of a cluster');
rolling('under load: every request gets its response, over connections that are kept and over new ones', async () => {
  const load = new Clients(16);
  // Long, so that it does not depend on how fast the machine is.
  const { restarts, exitCode } = await roll({ workers: 2, load, requests: 200, restarts: 2, lingerMs: 8000 });
  assert.equal(load.lost, []);
  assert.ok(load.succeeded >= 200);
  assert.ok(restarts >= 2);
  assert.is(exitCode, 0);
});
rolling('that are asked for while the workers start: they wait for these', async () => {
  const child = new Child([join(process.cwd(), 'build', 'examples', 'cluster.js')], { PORT: '0', WORKERS: '4' });
  try {
    await child.waitForOutput(/is listening on/);
    child.send('SIGHUP');
    await child.waitForOutput(/^restarted$/m);
    assert.is(child.output.match(/is listening on/g)?.length, 8);
    assert.is(await child.end('SIGTERM'), 0);
  } finally {
    await child.end('SIGKILL');
  }
});
rolling('with a new version that does not start: the workers that run go on, and SIGTERM ends the cluster', async () => {
  const folder = join(process.cwd(), 'build', 'examples');
  const program = join(folder, `cluster-${process.pid}.js`);
  copyFileSync(join(folder, 'cluster.js'), program);
  const child = new Child([program], { PORT: '0', WORKERS: '2' });
  try {
    const [, port] = await child.waitForOutput(/(?:listening on http:\/\/127\.0\.0\.1:(\d+)\n[^]*){2}/);
    writeFileSync(program, 'throw new Error("broken");\n');
    child.send('SIGHUP');
    await child.waitForOutput(/^not restarted$/m);
    assert.is((await fetch(`http://127.0.0.1:${port}/v1/animal/ant`)).status, 200);
    assert.is(await child.end('SIGTERM'), 0);
  } finally {
    await child.end('SIGKILL');
    rmSync(program);
  }
});
