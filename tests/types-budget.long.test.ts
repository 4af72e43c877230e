/** The cost of declarations: the compiler's type instantiations, whose count is the same on every machine, and the number of type parameters. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assert, suite } from './support/facts.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUDGET = 744_000;

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const SHARED = `import { ApiServer, defineEndpoint, integerId, stringId, type StandardSchemaV1 } from 'restpoint';
declare const pageSchema: StandardSchemaV1<unknown, { readonly limit: number }>;
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<{ readonly name: string }>;
const server = new ApiServer('/v1');
`;

/** An endpoint that uses all of a declaration. No two have a type in common, so that the compiler cannot reuse any. */
const ENDPOINT = `
interface Pet_N { readonly name: string; readonly legs_N: number }
declare const pet_N: StandardSchemaV1<unknown, Pet_N>;
declare const change_N: StandardSchemaV1<unknown, Partial<Pet_N>>;
declare const pets_N: Map<number, Pet_N>;
server.registerEndpoint('/zoo/:zoo/pet_N', defineEndpoint({
  id: integerId,
  params: { zoo: stringId },
  context: signedIn,
  schema: pet_N,
  version: (pet) => pet.legs_N,
  currentVersion: (id, { context, params }) => pets_N.get(id + context.name.length + params.zoo.length)?.legs_N,
  create: (pet, { context }) => pets_N.set(context.name.length, pet).size,
  list: { query: pageSchema, run: ({ query, params }) => [query.limit, params.zoo, ...pets_N.values()] },
  get: (id) => pets_N.get(id),
  update: (id, pet) => void pets_N.set(id, pet),
  patch: { input: change_N, run: (id, change, { context }) => void [id, change.legs_N, context.name] },
  delete: (id) => pets_N.delete(id),
  custom: { search: { input: change_N, run: (change) => change.legs_N ?? 0 }, count: { run: ({ context }) => context.name } },
  itemCustom: { feed: { input: pet_N, run: (id, pet, { params }) => [id, pet.legs_N, params.zoo] }, wake: { run: (id) => id } },
}));
`;

/** The instantiations that the repository's compiler counts for some endpoints. Throws where it rejects them. */
function instantiationsFor(endpoints: number): number {
  const name = `${ROOT}build/types-budget-${endpoints}`;
  const each = Array.from({ length: endpoints }, (_, index) => ENDPOINT.replaceAll('_N', String(index)));
  const compilerOptions = {
    noEmit: true, strict: true, skipLibCheck: true, target: 'es2023', module: 'node20', types: ['node'], paths: { restpoint: [`${ROOT}dist/index.d.ts`] },
  };
  writeFileSync(`${name}.ts`, [SHARED, ...each].join(''));
  writeFileSync(`${name}.json`, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  try {
    const { stdout } = spawnSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, '-p', `${name}.json`, '--extendedDiagnostics'], { encoding: 'utf8' });
    const [, count] = /^Instantiations:\s+(\d+)/m.exec(stdout) ?? [];
    if (count === undefined || /error TS/.test(stdout)) throw new Error(`the compiler rejects: ${stdout.slice(0, 1_000)}`);
    return Number(count);
  } finally {
    for (const suffix of ['ts', 'json']) rmSync(`${name}.${suffix}`);
  }
}

const budget = suite('type instantiations');
const [few, more, most] = [50, 100, 200].map(instantiationsFor) as [number, number, number];
budget(`of 200 endpoints that use all of it -> at most ${BUDGET.toLocaleString('en')}`, () => assert.ok(most <= BUDGET, `they are ${most}`));
budget('grow linearly: endpoints 101 to 200 take as many as twice endpoints 51 to 100', () => {
  assert.ok(most - more <= (more - few) * 2.02, `50: ${few}, 100: ${more}, 200: ${most}`);
});

const signatures = suite('type parameters');
for (const [name, file] of [['defineEndpoint', 'declaration/define-endpoint'], ['registerEndpoint', 'server/api-server']] as const) {
  signatures(`of ${name} -> at most 8`, () => {
    const [, parameters = ''] = new RegExp(`\\b${name}<([^(]+)>\\(`).exec(readFileSync(`${ROOT}dist/${file}.d.ts`, 'utf8')) ?? [];
    const count = parameters.split(',').length;
    assert.ok(count > 1 && count <= 8, `they are ${count}: ${parameters}`);
  });
}
