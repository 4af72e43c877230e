/** A process that serves operations that never end. Asked for anything, it returns how many have begun, and how much memory it takes. */
import type { AddressInfo } from 'node:net';
import { ApiServer, stringId } from '../../src/index.ts';
import { respondToParent } from './forked.ts';

export interface SlowState {
  readonly port: number;
  readonly begun: number;
  /** In bytes, since the start. */
  readonly mostMemory: number;
}

let begun = 0;
let mostMemory = 0;
const wait = (): Promise<never> => {
  begun += 1;
  return new Promise(() => {});
};

const server = new ApiServer('/v1', { limits: { operationMs: 0 }, logger: { info: () => {}, error: console.error } });
server.registerEndpoint('/slow', { id: stringId, schema: String, get: wait, create: wait });
const started = await server.start('127.0.0.1:0');
if (!started.ok) throw new Error(started.error);
const { port } = started.address as AddressInfo;
setInterval(() => (mostMemory = Math.max(mostMemory, process.memoryUsage.rss())), 10);
respondToParent((): SlowState => ({ port, begun, mostMemory }));
