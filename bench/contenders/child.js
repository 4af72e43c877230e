/** A process that answers commands over the channel to its parent, and ends with its parent. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export class Child {
  #process;
  #asked = new Map();
  #lastId = 0;

  /** `module` is a URL; its process calls `serveCommands`. */
  constructor(module, args = [], execArgv = []) {
    this.#process = fork(fileURLToPath(module), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv });
    this.#process.on('message', ({ id, result, error }) => this.#settle(id, result, error));
    // A failure to send is reported by the exit as well.
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

/** In the child: answers each command with the result of the function of that name. */
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
