/** The transport of the tests' requests: TCP, or what the environment variable `RESTPOINT_TRANSPORT` says: `tls`, or `memory`. */
import { once } from 'node:events';
import { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { makeCertificate, type Certificate } from './certificate.ts';
import { IS_IN_MEMORY } from './in-memory.ts';
import { PairedSocket } from './paired-socket.ts';
import { recordSecured } from './transcript.ts';

export { IS_IN_MEMORY };
export const IS_TLS = process.env['RESTPOINT_TRANSPORT'] === 'tls';

let made: Certificate | undefined;

/** The certificate of all servers of this process. */
export function getCertificate(): Certificate {
  return (made ??= makeCertificate());
}

let trusting: SecureContext | undefined;

/** Trusts that certificate. One for all clients, since to make one takes as long as a handshake. */
function getTrust(): SecureContext {
  return (trusting ??= createSecureContext({ ca: getCertificate().cert }));
}

// On a busy machine, a handshake can take longer than the short limits of a test allow.
const MAX_HANDSHAKES = 5;

/** The open sockets of clients, by the port of their server. */
const clients = new Map<number, Set<Socket>>();

/** Connects to a server of this process. Rejects if that fails. */
export async function connectTo(port: number, allowHalfOpen: boolean, isTls: boolean = IS_TLS): Promise<Socket> {
  const socket = await open(port, allowHalfOpen, isTls);
  const sockets = clients.get(port) ?? new Set();
  clients.set(port, sockets.add(socket));
  socket.once('close', () => sockets.delete(socket));
  return socket;
}

/** Destroys the clients of a server, at the end of its test. */
export function destroyClients(port: number): void {
  for (const socket of clients.get(port) ?? []) socket.destroy();
  clients.delete(port);
}

async function open(port: number, allowHalfOpen: boolean, isTls: boolean): Promise<Socket> {
  for (let handshakes = 1; isTls; handshakes += 1) {
    try {
      return await connectSecure(await connectPlain(port, allowHalfOpen), allowHalfOpen);
    } catch (error) {
      if (handshakes === MAX_HANDSHAKES) throw error;
    }
  }
  return (IS_IN_MEMORY ? await connectInMemory(port) : undefined) ?? connectPlain(port, allowHalfOpen);
}

/** Connects to a server of this process without the network. `process` has no public list of its servers. */
async function connectInMemory(port: number): Promise<Socket | undefined> {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles(): readonly Partial<Server>[] };
  const server = handles.call(process).find((handle) => handle.listening === true && Object(handle.address?.())['port'] === port);
  if (!(server instanceof Server)) return undefined;
  const [near, far] = PairedSocket.pair();
  Object.defineProperty(far, 'localPort', { value: port });
  server.emit('connection', far);
  return near;
}

async function connectPlain(port: number, allowHalfOpen: boolean): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

async function connectSecure(transport: Socket, allowHalfOpen: boolean): Promise<Socket> {
  const options = { socket: transport, secureContext: getTrust(), servername: 'localhost', ALPNProtocols: ['http/1.1'], allowHalfOpen };
  const socket = connectTls(options);
  recordSecured(socket, transport);
  // Only the socket below can send a reset.
  socket.resetAndDestroy = () => (transport.resetAndDestroy(), socket);
  await handshake(socket);
  return socket;
}

/**
 * Resolves when both ends have done the handshake. In TLS 1.3 the client is done first, and the server may still reject it. A server that
 * is done sends a session ticket.
 */
function handshake(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    // Node loses what is written inside this event.
    socket.once('session', () => setImmediate(resolve)).once('error', reject);
    for (const event of ['end', 'close']) socket.once(event, () => reject(new Error('closed during the handshake')));
  });
}
