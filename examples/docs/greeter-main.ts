import { makeServer } from './greeter.ts';

const users = new Map([['token-of-ann', { name: 'Ann', scopes: ['me:delete'] }]]); // a database
const { server } = makeServer(async (token) => users.get(token));

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
