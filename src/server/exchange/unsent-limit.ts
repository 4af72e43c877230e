/** Limits how many bytes of responses their clients have not taken, over all of them. */
import { makeLoggedLine } from '../settings/logger.ts';
import type { Settings } from '../settings/server-options.ts';

/** Makes a function that cuts off clients, the slowest readers first, if all of them together have more than `unsentBytes`. */
export function makeUnsentLimit<Client>(
  { unsentBytes: max, logger }: Pick<Settings, 'unsentBytes' | 'logger'>,
  countUnsent: (client: Client) => number, cutOff: (client: Client) => void,
): (clients: Client[], compareSpeed: (one: Client, other: Client) => number) => void {
  let isLogged = false;
  return (clients, compareSpeed) => {
    let bytes = clients.reduce((sum, client) => sum + countUnsent(client), 0);
    // Logged once until the number of bytes has halved. Otherwise there would be a line for each client that is cut off.
    if (bytes <= max / 2) isLogged = false;
    if (bytes <= max) return;
    if (!isLogged) logger.error(makeLoggedLine(`${bytes} bytes of responses are unsent, more than ${max}: slow readers are cut off`));
    isLogged = true;
    for (const client of clients.sort(compareSpeed)) {
      if (bytes <= max) break;
      bytes -= countUnsent(client);
      cutOff(client);
    }
  };
}
