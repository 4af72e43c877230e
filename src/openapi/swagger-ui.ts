/** The page of Swagger UI: its HTML, its script and its policy. */

/** The files of the package swagger-ui-dist that it needs. */
export const STYLE = 'swagger-ui.css';
export const BUNDLE = 'swagger-ui-bundle.js';

export const HEADERS: Readonly<Record<string, string>> = {
  // The style sheet has images as `data:`, and a picture in a response is shown as `blob:`.
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

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
