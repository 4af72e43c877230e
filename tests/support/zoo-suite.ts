/** Tests of the example's endpoints, all in one process. Each has a separate zoo and pet in it. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { zooServer } from '../../examples/zoo/server.ts';
import { openStore } from '../../examples/zoo/store/open-store.ts';
import { ZooClient } from './zoo-client.ts';

const TOKEN = 'the-token-of-the-tests';

/** A zoo in this process, over a store in memory. */
export class ServedZoo extends ZooClient {
  readonly token = TOKEN;
  /** The lines that it logs. */
  readonly infos: string[] = [];
  #url = '';
  #stop: () => Promise<void> = async () => {};

  override get url(): string {
    return this.#url;
  }

  async start(): Promise<void> {
    const { store } = await openStore(':memory:');
    const server = zooServer(store, TOKEN, { logger: { info: (line) => this.infos.push(line), error: () => {} } });
    const started = await server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    this.#url = started.url;
    this.#stop = async () => {
      await server.stop();
      await store.close();
    };
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

export const rex = { name: 'Rex', legs: 4, lethal: false };
export const asp = { name: 'Asp', legs: 0, lethal: true };

/** The zoo of one test. */
export interface TestZoo {
  readonly zoo: ServedZoo;
  /** No other zoo has this name. */
  readonly name: string;
  readonly id: number;
  /** `/v1/zoo/7` */
  readonly path: string;
  /** Rex's id. */
  readonly rexId: number;
}

export interface ZooSuite {
  (fact: string, check: (own: TestZoo) => Promise<void>): void;
  run(): void;
}

/** Provides the tests of a suite with a zoo. */
export function makeZooSuite(tests: Test): ZooSuite {
  const zoo = new ServedZoo();
  let count = 0;
  tests.before(() => zoo.start());
  tests.after(() => zoo.stop());
  const ownZoo = async (): Promise<TestZoo> => {
    count += 1;
    const name = `Zoo ${count}`;
    const id = await createItem(zoo, '/v1/zoo', { name, city: 'Utrecht' });
    const path = `/v1/zoo/${id}`;
    return { zoo, name, id, path, rexId: await createItem(zoo, `${path}/pet`, rex) };
  };
  const test = (fact: string, check: (own: TestZoo) => Promise<void>): void => tests(fact, async () => check(await ownZoo()));
  return Object.assign(test, { run: () => tests.run() });
}

/** Creates an item as a keeper. Returns its id. */
export async function createItem(zoo: ZooClient, path: string, json: unknown): Promise<number> {
  const response = await zoo.keep('POST', path, json);
  assert.is(response.status, 201);
  const id = await response.text();
  assert.is(response.headers.get('Location'), `${path}/${id}`);
  return Number(id);
}

/** The body of a problem. */
export function problemBody(status: number, title: string, detail?: string, errors?: readonly object[]): string {
  return JSON.stringify({ type: 'about:blank', title, status, detail, errors });
}

export const NOT_FOUND = problemBody(404, 'Not Found', 'Not found.');
export const NO_TOKEN = problemBody(401, 'Unauthorized', 'The request needs a bearer token.');

/** The problem of an id or a body that is rejected. `place` says where in the request. */
export function badRequestBody(message: string, at: { readonly pointer: string } | { readonly parameter: string }): string {
  return problemBody(400, 'Bad Request', `Bad arguments: ${message}`, [{ detail: message, ...at }]);
}

/** One request. In `path` and `body`, ZOO and PET are the ids of the test's zoo and of Rex. `json` is the body of the request. */
export type Case = readonly [who: 'anyone' | 'keeper', method: string, path: string, json: unknown, status: number, body: string];

/** Adds a test for each request. */
export function testResponses(tests: ZooSuite, cases: readonly Case[]): void {
  for (const [caller, method, path, json, status, body] of cases) {
    tests(`${caller}: ${method} ${path} ${JSON.stringify(json) ?? ''} -> ${status} ${body}`, async ({ zoo, id, rexId }) => {
      const own = (text: string): string => text.replaceAll('ZOO', String(id)).replaceAll('PET', String(rexId));
      const target = own(path);
      const response = await (caller === 'keeper' ? zoo.keep(method, target, json) : zoo.request(method, target, json));
      assert.is(response.status, status);
      assert.is(await response.text(), own(body));
    });
  }
}

/** Adds a test for each method and path: its status and its `Allow`. */
export function testMethods(tests: ZooSuite, cases: readonly (readonly [method: string, path: string, status: number, allow: string])[]): void {
  for (const [method, path, status, allow] of cases) {
    tests(`${method} ${path} -> ${status}, Allow: ${allow}, without a body`, async ({ zoo }) => {
      const response = await zoo.request(method, path);
      assert.equal([response.status, response.headers.get('Allow'), await response.text()], [status, allow, '']);
    });
  }
}
