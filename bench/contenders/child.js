/** A process that answers commands over the channel of its parent; it ends with its parent. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export class Child {
  #process;
  #asked = new Map();
  #lastId = 0;

  /** `module` is a URL; its process calls `serveCommands`. */
  constructor(module, ...args) {
    this.#process = fork(fileURLToPath(module), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#process.on('message', ({ id, result, error }) => this.#settle(id, result, error));
    // What can not be sent to it any more is told by its exit.
    this.#process.on('error', () => {});
    this.#process.on('exit', (code, signal) => {
      for (const id of this.#asked.keys()) this.#settle(id, undefined, `${args.join(' ')}: the process ended, ${signal ?? code}`);
    });
  }

  /** Sends a command, and resolves to its result. */
  ask(command, argument) {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#process.send({ id, command, argument });
    });
  }

  async end() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  #settle(id, result, error) {
    const { resolve, reject } = this.#asked.get(id) ?? {};
    this.#asked.delete(id);
    if (error === undefined) resolve?.(result);
    else reject?.(new Error(error));
  }
}

/** In the child: answers each command with what the function of its name gives. */
export function serveCommands(commands) {
  process.on('message', async ({ id, command, argument }) => {
    try {
      process.send({ id, result: await commands[command](argument) });
    } catch (error) {
      process.send({ id, error: error.stack });
    }
  });
  process.on('disconnect', () => process.exit());
}
