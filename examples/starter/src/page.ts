/** Swagger UI at `/docs`: it shows the document, and sends requests. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

const installed = (name: string) => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
const HTML = `<!doctype html>
<title>Notes</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
`;

const files = new Map<string, [type: string, content: string | Buffer]>([
  ['/', ['html', HTML]],
  ['/page.js', ['javascript', `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#page' });\n`]],
  ['/swagger-ui.css', ['css', installed('swagger-ui.css')]],
  ['/swagger-ui-bundle.js', ['javascript', installed('swagger-ui-bundle.js')]],
]);

export function page({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [type, content] = files.get(url) ?? [];
  if (content === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'Content-Type': `text/${type}; charset=utf-8` }).end(content);
}
