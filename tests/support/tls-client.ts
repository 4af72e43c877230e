/** Connects to a server with TLS, and accepts any certificate. */
import { once } from 'node:events';
import { connect, type ConnectionOptions, type PeerCertificate, type TLSSocket } from 'node:tls';

/** Resolves when the handshake is finished, and rejects if it fails. */
export async function connectOverTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** The common name in the certificate of the server. */
export async function readCommonName(port: number): Promise<string> {
  const socket = await connectOverTls(port);
  const { subject } = socket.getPeerCertificate() as PeerCertificate;
  socket.destroy();
  return String(subject.CN);
}
