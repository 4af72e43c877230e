/** Tests of the example's endpoints, all in one process. Each has a separate zoo and pet in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooProcess } from './zoo-process.ts';

export const rex = { name: 'Rex', legs: 4, lethal: false };
export const asp = { name: 'Asp', legs: 0, lethal: true };

/** The zoo of one test. */
export interface OwnZoo {
  readonly zoo: ZooProcess;
  /** No other zoo has this name. */
  readonly name: string;
  readonly id: number;
  /** `/v1/zoo/7` */
  readonly path: string;
  /** Rex's id. */
  readonly rexId: number;
}

export interface ZooSuite {
  (fact: string, check: (own: OwnZoo) => Promise<void>): void;
  run(): void;
}

/** Provides the tests of a suite with a zoo. */
export function withZoo(tests: Test): ZooSuite {
  let zoo: ZooProcess | undefined;
  let folder = '';
  let count = 0;
  tests.before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restpoint-'));
    zoo = new ZooProcess({ ZOO_DB: join(folder, 'zoo.db') });
    await zoo.opened();
  });
  tests.after(async () => {
    zoo?.kill('SIGKILL');
    await zoo?.ended();
    await rm(folder, { recursive: true, force: true });
  });
  const ownZoo = async (): Promise<OwnZoo> => {
    if (zoo === undefined) throw new Error('the suite has not begun');
    count += 1;
    const name = `Zoo ${count}`;
    const id = await created(zoo, '/v1/zoo', { name, city: 'Utrecht' });
    const path = `/v1/zoo/${id}`;
    return { zoo, name, id, path, rexId: await created(zoo, `${path}/pet`, rex) };
  };
  const test = (fact: string, check: (own: OwnZoo) => Promise<void>): void => tests(fact, async () => check(await ownZoo()));
  return Object.assign(test, { run: () => tests.run() });
}

/** Creates an item as a keeper. Returns its id. */
export async function created(zoo: ZooProcess, path: string, json: unknown): Promise<number> {
  const response = await zoo.keep('POST', path, json);
  assert.is(response.status, 201);
  const id = await response.text();
  assert.is(response.headers.get('Location'), `${path}/${id}`);
  return Number(id);
}

/** The body of a problem. */
export function problem(status: number, title: string, detail?: string, errors?: readonly object[]): string {
  return JSON.stringify({ type: 'about:blank', title, status, detail, errors });
}

export const NOT_FOUND = problem(404, 'Not Found', 'Not found.');
export const NO_TOKEN = problem(401, 'Unauthorized', 'The request needs a bearer token.');

/** The problem of an id or a body that is rejected. `place` says where in the request. */
export function badRequest(message: string, at: { readonly pointer: string } | { readonly parameter: string }): string {
  return problem(400, 'Bad Request', `Bad arguments: ${message}`, [{ detail: message, ...at }]);
}

/** One request. In `path` and `body`, ZOO and PET are the ids of the test's zoo and of Rex. `json` is the body of the request. */
export type Case = readonly [who: 'anyone' | 'keeper', method: string, path: string, json: unknown, status: number, body: string];

/** Adds a test for each request. */
export function testResponses(tests: ZooSuite, cases: readonly Case[]): void {
  for (const [who, method, path, json, status, body] of cases) {
    tests(`${who}: ${method} ${path} ${JSON.stringify(json) ?? ''} -> ${status} ${body}`, async ({ zoo, id, rexId }) => {
      const own = (text: string): string => text.replaceAll('ZOO', String(id)).replaceAll('PET', String(rexId));
      const target = own(path);
      const response = await (who === 'keeper' ? zoo.keep(method, target, json) : zoo.request(method, target, json));
      assert.is(response.status, status);
      assert.is(await response.text(), own(body));
    });
  }
}
