/** Cloudflare's `workerd`, with a Worker of files of this repository. */
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import workerd from 'workerd';
import { Engine } from './engine.js';
import { findFreePort } from './free-port.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
// The command of the package is a script that starts this program, and would not end it.
const { default: WORKERD } = workerd;
// What docs/deployment.md says.
export const COMPATIBILITY_DATE = '2026-02-10';
export const FLAGS = ['nodejs_compat', 'enable_request_signal'];

function quoted(text) {
  return JSON.stringify(text);
}

/** The configuration of a Worker. `main` is the text of its module, which imports files by their paths in the repository. */
function configuration(main, files, port) {
  const modules = files.map((name) => `(name = ${quoted(name)}, esModule = embed ${quoted(`root/${name}`)})`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "main.js", esModule = ${quoted(main)}), ${modules.join(', ')}],
  compatibilityDate = ${quoted(COMPATIBILITY_DATE)},
  compatibilityFlags = [${FLAGS.map(quoted).join(', ')}]
);
`;
}

/** Calls `use` with a function that starts a Worker, and with its port. */
export async function withWorkerd(main, programs, use) {
  const folder = mkdtempSync(join(tmpdir(), 'workerd-'));
  try {
    // It reads files below the folder of its configuration.
    symlinkSync(ROOT, join(folder, 'root'));
    const port = await findFreePort();
    const dist = readdirSync(join(ROOT, 'dist'), { recursive: true }).filter((name) => name.endsWith('.js')).map((name) => join('dist', name));
    writeFileSync(join(folder, 'config.capnp'), configuration(main, [...dist, ...programs], port));
    await use(() => new Engine(WORKERD, [], {}, ['serve', join(folder, 'config.capnp')]), port);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
