/**
 * Node's modules, all through one place. From Node 22 on, an `import` of `node:http` also loads what it exports of the web's
 * `fetch`, which takes about as long as all the rest of a start; this does not. And who replaces something in one of these modules
 * before the server is made, as tracers do, is seen here without a loader hook.
 */
export const asyncHooks: typeof import('node:async_hooks') = process.getBuiltinModule('node:async_hooks');
export const http: typeof import('node:http') = process.getBuiltinModule('node:http');
export const net: typeof import('node:net') = process.getBuiltinModule('node:net');
