/**
 * A page for an API: Swagger UI, which shows the document and sends requests. Its files come from the package swagger-ui-dist, and its
 * policy lets it use nothing of another host.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const HEADERS = {
  // The style sheet has images as `data:`, and a picture in an answer is shown as `blob:`.
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** A listener to mount at `route`, such as `/docs`. `document` is the path of the document. Throws if the package is not installed in `folder`. */
export function apiPage(route: string, document: string, folder: string = process.cwd()) {
  const script = `SwaggerUIBundle({ url: ${JSON.stringify(document)}, dom_id: '#page' });\n`;
  // A request can only name these files. No path reaches the file system.
  const files = new Map([
    ['/', file('html', htmlOf(route === '/' ? '' : route))],
    ['/page.js', file('javascript', script)],
    ['/swagger-ui.css', file('css', installed('swagger-ui.css', folder))],
    ['/swagger-ui-bundle.js', file('javascript', installed('swagger-ui-bundle.js', folder))],
  ]);
  return ({ method, url = '', headers }: IncomingMessage, response: ServerResponse): void => {
    const found = files.get(url.split('?')[0] ?? '');
    if (found === undefined) response.writeHead(404).end();
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    else if (headers['if-none-match'] === found.headers.ETag) response.writeHead(304, found.headers).end();
    else response.writeHead(200, { ...found.headers, 'Content-Length': found.bytes.length }).end(found.bytes);
  };
}

function installed(name: string, folder: string): Buffer {
  try {
    return readFileSync(createRequire(join(folder, 'page.js')).resolve(`swagger-ui-dist/${name}`));
  } catch (cause) {
    throw new Error(`swagger-ui-dist is not installed in ${folder}: npm install --ignore-scripts swagger-ui-dist`, { cause });
  }
}

function file(type: string, content: string | Buffer) {
  const bytes = Buffer.from(content);
  const ETag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, headers: { ...HEADERS, 'Content-Type': `text/${type}; charset=utf-8`, ETag } };
}

function htmlOf(base: string): string {
  return `<!doctype html>
<html lang="en">
<title>API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/swagger-ui.css">
<div id="page"></div>
<script src="${base}/swagger-ui-bundle.js"></script>
<script src="${base}/page.js"></script>
`;
}
