/** A socket whose client has asked for another protocol, behind requests that are not answered yet. */
import type { Socket } from 'node:net';
import { stopReading } from '../node/sockets.ts';
import type { Connection } from './connection.ts';

// Clients wait for the answer to an upgrade before they use the new protocol.
const MAX_EARLY_BYTES = 64 * 1024;

/**
 * Calls a function when the requests before an upgrade are answered, with the bytes that have come behind it. Does not call it if the
 * connection closes before. Node has removed its own listeners from the socket, so until then this does what they did.
 */
export function whenSwitched(connection: Connection, socket: Socket, head: Buffer, begin: (head: Buffer) => void): void {
  const chunks = [head];
  const readBefore = socket.bytesRead;
  const listeners: Readonly<Record<string, (chunk: Buffer) => void>> = {
    // It is read so that the server sees when the client leaves.
    data: (chunk) => {
      chunks.push(chunk);
      if (socket.bytesRead - readBefore > MAX_EARLY_BYTES) socket.destroy();
    },
    end: () => socket.destroy(),
    drain: () => connection.current?.response.emit('drain'),
    close: () => connection.current?.request.destroy(),
  };
  // A socket must have such a listener, also when the host has it.
  socket.on('error', () => socket.destroy());
  let isWaiting = false;
  const isNow = connection.whenAnswered(() => {
    if (isWaiting) {
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
      stopReading(socket);
    }
    begin(Buffer.concat(chunks));
  });
  if (isNow) return;
  isWaiting = true;
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
}
