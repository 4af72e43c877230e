/** Stands for a package that is not installed here. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Puts files into the `node_modules` of a folder, as the package `name`. */
export async function installPackage(folder: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  const installed = join(folder, 'node_modules', name);
  await mkdir(installed, { recursive: true });
  await Promise.all(Object.entries(files).map(([file, content]) => writeFile(join(installed, file), content)));
}

/** Puts a stand-in of swagger-ui-dist there. */
export function installSwaggerUi(folder: string): Promise<void> {
  const files = { 'swagger-ui.css': 'css {}', 'swagger-ui-bundle.js': 'bundle();', 'package.json': '{"name":"swagger-ui-dist"}' };
  return installPackage(folder, 'swagger-ui-dist', files);
}
