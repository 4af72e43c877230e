/** The contenders, each in a child process, as the experiments use them. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const CONTENDERS = ['restpoint', 'node-http', 'fastify'];

const SERVE = fileURLToPath(new URL('serve.js', import.meta.url));

export class Contender {
  #child;
  #asked = new Map();
  #lastId = 0;
  port = 0;

  constructor(name) {
    this.#child = fork(SERVE, [name], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', ({ id, result }) => {
      this.#asked.get(id)(result);
      this.#asked.delete(id);
    });
  }

  /** Opens the server with new pets, and knows its port from then on. */
  async open(options = {}) {
    this.port = await this.ask('open', options);
  }

  /** Sends a command of `serve.js`, and resolves to its result. A process that has died never answers. */
  ask(command, argument) {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#child.send({ id, command, argument });
    });
  }

  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

/** Runs `use` with a contender of each name that is open, one after the other, and gives what each came to. */
export async function withEach(use, options) {
  const figures = [];
  for (const name of CONTENDERS) figures.push(await withOne(name, use, options));
  return figures;
}

/** As `withEach`, all at once: for experiments that wait more than they work. */
export function withAll(use, options) {
  return Promise.all(CONTENDERS.map((name) => withOne(name, use, options)));
}

async function withOne(name, use, options) {
  const contender = new Contender(name);
  try {
    await contender.open(options);
    return await use(contender, name);
  } finally {
    await contender.end();
  }
}
