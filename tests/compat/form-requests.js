/** Forms that engines parse differently. A form is read as it was sent, or rejected: no part of it is lost or changed. */
import assert from 'node:assert/strict';

const BOUNDARY = '----formBoundary7MA4YWxkTrZu0gW';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const NAME = 'Content-Disposition: form-data; name="name"';
const PHOTO = 'Content-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png';
// As .NET writes it.
const UNQUOTED = "Content-Type: image/png\r\nContent-Disposition: form-data; name=photo; filename=a.png; filename*=utf-8''a.png";
const REX = JSON.stringify({ name: 'Rex' });
const PNG = JSON.stringify({ photo: ['a.png', 'image/png', 'x'] });

function multipart(...parts) {
  return `${parts.map(([head, content]) => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`).join('')}--${BOUNDARY}--\r\n`;
}

/** `expected` has the responses that an engine may have: the JSON of a form, or a status. */
const FORMS = [
  { what: 'a string', body: multipart([NAME, 'Rex']), expected: [REX] },
  { what: 'a file', body: multipart([PHOTO, 'x']), expected: [PNG] },
  { what: 'an empty form', body: multipart(), expected: ['{}'] },
  { what: 'a file input without a choice', body: multipart([PHOTO.replace('a.png', ''), '']), expected: ['{}'] },
  { what: 'a short boundary', type: 'multipart/form-data; boundary="x"', body: multipart([NAME, 'Rex']).replaceAll(BOUNDARY, 'x'), expected: [REX] },
  { what: 'names without quotes', body: multipart([UNQUOTED, 'x']), expected: [PNG, 400] },
  { what: 'the name of a file in UTF-8', body: multipart([PHOTO.replace('a.png', '\xc3\xa9.png'), 'x']), expected: [PNG.replace('a.png', '\u00e9.png')] },
  { what: 'urlencoded', type: 'application/x-www-form-urlencoded', path: '/v1/plain', body: 'name=R%65x', expected: [REX] },
  { what: 'no boundary', type: 'multipart/form-data', body: multipart(), expected: [400] },
  { what: 'no last boundary', body: multipart([NAME, 'Rex']).replace(/--\S+--\r\n$/, ''), expected: [400] },
  { what: 'cut within a file', body: multipart([PHOTO, 'x'.repeat(100)]).slice(0, -100), expected: [400] },
  { what: 'a part without a name', body: multipart(['Content-Disposition: form-data', 'x']), expected: [400] },
  { what: 'a part without a head', body: multipart([NAME, 'Rex']).replace(`${NAME}\r\n`, ''), expected: [400] },
  { what: 'a NUL in a name', body: multipart([NAME.replace('name"', 'name\0"'), 'Rex']), expected: [400] },
  { what: 'line feeds alone', body: multipart([NAME, 'Rex']).replaceAll('\r', ''), expected: [400] },
  { what: 'spaces after a boundary', body: multipart([NAME, 'Rex']).replace(`${BOUNDARY}\r`, `${BOUNDARY} \r`), expected: [400] },
  { what: 'a byte order mark', body: multipart([NAME, '\xef\xbb\xbfRex']), expected: [400] },
  { what: 'a string that is not UTF-8', body: multipart([NAME, '\xff']), expected: [400] },
  { what: 'a file in Base64', body: multipart([`${PHOTO}\r\nContent-Transfer-Encoding: base64`, 'eA==']), expected: [PNG.replace('"x"', '"eA=="'), 400] },
  { what: 'a field named __proto__', body: multipart([NAME.replace('"name"', '"__proto__"'), 'Rex']), expected: [400] },
  { what: 'a file that is not declared', body: multipart([PHOTO.replace('photo', 'name'), 'x']), expected: [400] },
  { what: '10,000 parts', body: multipart(...Array.from({ length: 10_000 }, () => [NAME, 'Rex'])), expected: [413] },
];

/** Sends the forms to a server that has `formsIn`. */
export async function checkForms(check, send) {
  for (const { what, path = '/v1/form', type = TYPE, body, expected } of FORMS) {
    await check(`a form: ${what}`, async () => {
      const response = await send(path, { method: 'POST', headers: { 'content-type': type }, body: Buffer.from(body, 'latin1') });
      const text = await response.text();
      assert.ok(expected.includes(response.status === 200 ? text : response.status), `${response.status} ${text}`);
    });
  }
}

/** Declares the operations that `checkForms` calls. */
export function registerForms(server, form) {
  const show = async ({ photo, ...fields }) => ({ ...fields, ...(photo && { photo: [photo.name, photo.type, await photo.text()] }) });
  const any = (fields) => fields;
  server.registerEndpoint('/form', { create: { input: form(any, { files: { photo: {} } }), output: { 200: any }, run: show } });
  server.registerEndpoint('/plain', { create: { input: form(any), output: { 200: any }, run: show } });
}
