/** A process that responds to commands over the channel to its parent, and ends with its parent. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the module at a URL, which calls `serveCommands`. */
export function startChild(module, args = [], execArgv = []) {
  const child = fork(fileURLToPath(module), args, { execArgv });
  const pending = new Map();
  let lastId = 0;
  child.on('message', ({ id, result, error }) => {
    const { resolve, reject } = pending.get(id);
    pending.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
  });
  const exited = once(child, 'exit').then(([code, signal]) => {
    for (const { reject } of pending.values()) reject(new Error(`${args.join(' ')}: the process ended, ${signal ?? code}`));
  });
  return {
    /** Sends a command, and resolves to its result. */
    ask: (command, argument) => new Promise((resolve, reject) => {
      lastId += 1;
      pending.set(lastId, { resolve, reject });
      child.send({ id: lastId, command, argument }, (error) => error && reject(error));
    }),
    end() {
      child.kill('SIGKILL');
      return exited;
    },
  };
}

/** In the child: responds to each command with the result of the function of that name. */
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
