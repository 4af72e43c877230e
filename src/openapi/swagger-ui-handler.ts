/**
 * Serves Swagger UI, which shows the document and sends requests. Its files come from the package swagger-ui-dist, which the user installs.
 * The policy of the page allows nothing from other servers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeHandler } from '../endpoint/handler.ts';
import { fileModules } from '../node.ts';
import { anything, type Checked, option, required, shape, type Shape } from '../util/options.ts';
import { type FileSource, makeFile, type ServedFile, serveFile } from './open-api-handler.ts';

/**
 * The options of `swaggerUiHandler`. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const options: SwaggerUiOptions = { url: '/openapi.json', assets: import.meta.resolve('swagger-ui-dist/package.json') };
 * server.mount('/docs', swaggerUiHandler(options));
 * ```
 */
export interface SwaggerUiOptions {
  /** The path at which the server has the document, such as `/openapi.json`. */
  readonly url: string;
  /**
   * The installed package swagger-ui-dist: its folder, or one of its files, as a path or a `file:` URL.
   * `import.meta.resolve('swagger-ui-dist/package.json')` finds the one that is installed for your module.
   */
  readonly assets: string | URL;
}

/** A listener for `mount`. */
export type SwaggerUiHandler = (request: IncomingMessage & { readonly baseUrl?: string }, response: ServerResponse) => void;

/** `swaggerUiHandler(options)`: {@link SwaggerUiOptions}. */
export const SWAGGER_UI_OPTIONS: Shape<Checked<SwaggerUiOptions>> = shape({
  url: required(option('a path', checkUrl, undefined)),
  assets: anything('a path'),
});

function checkUrl(value: unknown, path: string): string {
  if (typeof value === 'string' && /^\/(?!\/)/.test(value)) return value;
  throw new TypeError(`${path} must be a path such as /openapi.json: ${String(value)}`);
}

/**
 * Makes a listener that serves Swagger UI at the route where it is mounted, and its files below it.
 *
 * It reads the files at once: no path of a request reaches the file system. Each response has a `Content-Security-Policy` that allows only
 * the page's own server.
 *
 * @example
 * ```ts
 * server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Zoo', version: '1.0.0' } }));
 * server.mount('/docs', swaggerUiHandler({ url: '/openapi.json', assets: import.meta.resolve('swagger-ui-dist/package.json') }));
 * ```
 * @throws `TypeError` for an invalid option, and if the files do not exist.
 */
export function swaggerUiHandler(options: SwaggerUiOptions): SwaggerUiHandler {
  const { url, assets } = SWAGGER_UI_OPTIONS.check(options, 'options');
  const { style, bundle } = readAssets(assets);
  const script = makeText('javascript', formatScript(url));
  const files = new Map<string, FileSource>([
    ['/', ({ baseUrl }) => makeText('html', formatHtml(baseUrl))],
    ['/page.js', () => script],
    [`/${STYLE}`, () => style],
    [`/${BUNDLE}`, () => bundle],
  ]);
  return makeHandler((request) => serveFile(request, files));
}

/** Reads the files of the package. */
function readAssets(assets: unknown): { readonly style: ServedFile; readonly bundle: ServedFile } {
  const { fs: { readFileSync, statSync }, path: { dirname, join }, url: { fileURLToPath } } = fileModules();
  const given = String(assets);
  try {
    const path = given.startsWith('file:') ? fileURLToPath(given) : given;
    const folder = statSync(path).isDirectory() ? path : dirname(path);
    const read = (type: string, name: string): ServedFile => makeText(type, readFileSync(join(folder, name)));
    return { style: read('css', STYLE), bundle: read('javascript', BUNDLE) };
  } catch (cause) {
    throw new TypeError(
      `options.assets must be swagger-ui-dist, installed by "npm install --ignore-scripts swagger-ui-dist": ${String(assets)}`, { cause },
    );
  }
}

function makeText(type: string, content: string | Buffer): ServedFile {
  return makeFile(`text/${type}; charset=utf-8`, content, HEADERS);
}

/** The files of the package swagger-ui-dist that it needs. */
export const STYLE = 'swagger-ui.css';
export const BUNDLE = 'swagger-ui-bundle.js';

export const HEADERS: readonly string[] = [
  // The style sheet has images as `data:`, and a picture in a response is shown as `blob:`.
  'Content-Security-Policy', "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy', 'no-referrer',
];

export function formatScript(document: string): string {
  return `SwaggerUIBundle({ url: ${JSON.stringify(document)}, dom_id: '#page' });\n`;
}

/** Formats the page. `route` is the route of the mount: the user's own router may have removed a part of it from the URL of the request. */
export function formatHtml(route: string): string {
  const base = route.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<html lang="en">
<title>API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/${STYLE}">
<div id="page"></div>
<script src="${base}/${BUNDLE}"></script>
<script src="${base}/page.js"></script>
`;
}
