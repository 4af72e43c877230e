/**
 * A page for an API: Swagger UI, which shows the document and sends requests. Its files come from the package swagger-ui-dist, which the
 * user installs, and its policy lets it use nothing of any other server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { anything, type Checked, option, required, type Shape, shape } from '../util/options.ts';
import { type FileSource, makeFile, serveFile, type ServedFile } from './served-file.ts';
import { BUNDLE, formatHtml, formatScript, HEADERS, STYLE } from './swagger-ui.ts';

/** The options of `referencePage`. An unknown name throws `TypeError`. */
export interface ReferencePageOptions {
  /** The path at which the server has the document, such as `/openapi.json`. */
  readonly document: string;
  /**
   * The installed package swagger-ui-dist: its folder, or one of its files, as a path or a `file:` URL. For the one that is installed beside
   * a module: `import.meta.resolve('swagger-ui-dist/package.json')`.
   */
  readonly assets: string | URL;
}

/** A listener for `mount`. */
export type ReferencePage = (request: IncomingMessage & { readonly baseUrl?: string }, response: ServerResponse) => void;

export const REFERENCE_PAGE_OPTIONS: Shape<Checked<ReferencePageOptions>> = shape({
  document: required(option('a path', checkDocument, undefined)),
  assets: anything('a path'),
});

function checkDocument(value: unknown, path: string): string {
  if (typeof value !== 'string' || !/^\/(?!\/)/.test(value)) throw new TypeError(`${path} must be a path such as /openapi.json: ${String(value)}`);
  return value;
}

/**
 * Makes a listener that serves Swagger UI at the route where it is mounted, and its files below it:
 *
 *   server.mount('/docs', referencePage({
 *     document: '/openapi.json',
 *     assets: import.meta.resolve('swagger-ui-dist/package.json'),
 *   }));
 *
 * The files are read at once, and no path of a request reaches the file system. Each response has a `Content-Security-Policy` that allows
 * only the page's own server. Throws `TypeError` for an invalid option, also if the files are not there.
 */
export function referencePage(options: ReferencePageOptions): ReferencePage {
  const { document, assets } = REFERENCE_PAGE_OPTIONS.check(options, 'options');
  const [style, bundle] = readAssets(assets);
  const files = new Map<string, FileSource>([
    ['/', ({ baseUrl = '' }) => file('html', formatHtml(baseUrl))],
    ['/page.js', always(file('javascript', formatScript(document)))],
    [`/${STYLE}`, always(file('css', style))],
    [`/${BUNDLE}`, always(file('javascript', bundle))],
  ]);
  return (request, response) => serveFile(request, response, files);
}

function always(served: ServedFile): FileSource {
  return () => served;
}

/** Reads the files of the package. */
function readAssets(assets: unknown): [style: Buffer, bundle: Buffer] {
  const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
  const { dirname, join } = process.getBuiltinModule('node:path');
  try {
    const path = findPath(assets);
    const folder = statSync(path).isDirectory() ? path : dirname(path);
    return [readFileSync(join(folder, STYLE)), readFileSync(join(folder, BUNDLE))];
  } catch (cause) {
    const message = `options.assets must be swagger-ui-dist, which "npm install --ignore-scripts swagger-ui-dist" installs: ${String(assets)}`;
    throw new TypeError(message, { cause });
  }
}

function findPath(assets: unknown): string {
  const isUrl = assets instanceof URL || (typeof assets === 'string' && assets.startsWith('file:'));
  return isUrl ? process.getBuiltinModule('node:url').fileURLToPath(assets) : String(assets);
}

function file(type: string, content: string | Buffer): ServedFile {
  return makeFile(`text/${type}; charset=utf-8`, content, HEADERS);
}
