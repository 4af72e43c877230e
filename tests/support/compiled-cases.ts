/** Short programs, and what a compiler says about them. It gets all of them at once. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The compiler of this repository. */
export const COMPILER: string = join(ROOT, 'node_modules/typescript/bin/tsc');

/** What the programs use. It stands below them, so that their lines keep their numbers. */
const DECLARATIONS = `
 import {
  ApiError, ApiServer, created, defineEndpoint, endpointWith, integerId, problem, reply, stringId, type ApiRequest, type Interceptor, type StandardSchemaV1, wildcardId,
} from 'restpoint';
 import type { ScopedAuthentication } from 'restpoint/auth';
 import { client } from 'restpoint/client';
 import { form } from 'restpoint/formats';
 import { idempotent, memoryIdempotencyStore, pages } from 'restpoint/interceptors';
interface Pet { readonly name: string; readonly legs: number }
interface User { readonly name: string }
declare const petSchema: StandardSchemaV1<unknown, Pet>;
declare const petOutput: StandardSchemaV1<Pet>;
declare const petsOutput: StandardSchemaV1<Pet[]>;
declare const photoSchema: StandardSchemaV1<{ readonly name: string; readonly photo: File }>;
declare const pets: Map<number, Pet>;
declare function signedIn(request: object): Promise<User>;
declare const server: ApiServer;
`;

/** Compiles each code as a file of its own, and returns the messages for each. They begin with the line and the column. */
export function compileCases(codes: readonly string[], compiler: string = COMPILER): string[] {
  const files = codes.map((_, index) => `case-${index}.ts`);
  const compilerOptions = {
    noEmit: true, strict: true, skipLibCheck: true, exactOptionalPropertyTypes: true, target: 'es2023', module: 'nodenext', types: ['node'],
    paths: { restpoint: [join(ROOT, 'dist/index.d.ts')], 'restpoint/*': [join(ROOT, 'dist/*/index.d.ts')] },
  };
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'build/cases-'));
  try {
    codes.forEach((code, index) => writeFileSync(join(folder, `case-${index}.ts`), code + DECLARATIONS));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], { cwd: folder, encoding: 'utf8' });
    const parts = stdout.trimEnd().split(/^(?=case-)/m);
    return files.map((file) => parts.filter((part) => part.startsWith(`${file}(`)).map((part) => part.slice(file.length)).join('').trimEnd());
  } finally {
    rmSync(folder, { recursive: true });
  }
}
