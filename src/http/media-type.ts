/** Parses media types (RFC 9110 section 8.3). JSON is `application/json` (RFC 8259), and any type with the suffix `+json` (RFC 6839). */

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
// RFC 9110 section 8.3.1: type "/" subtype, then parameters, which may be empty. Between semicolons, only one part matches white space:
// with two, backtracking would be slow.
const PARAMETERS = `((?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*)[ \\t]*`;
const JSON_TYPE = new RegExp(`^(?:application/json|${TOKEN}/${TOKEN}\\+json)${PARAMETERS}$`, 'i');
const MEDIA_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})${PARAMETERS}$`);
const PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})=(${TOKEN}|${QUOTED})`, 'g');

/** Whether a body of this type is read as JSON. */
export function isJsonType(contentType: string): boolean {
  // Nearly every client sends this.
  if (contentType === 'application/json' || contentType === 'application/json; charset=utf-8') return true;
  const [, parameters] = JSON_TYPE.exec(contentType) ?? [];
  if (parameters === undefined) return false;
  return [...parameters.matchAll(PARAMETER)].every(([, name = '', value = '']) => {
    return name.toLowerCase() !== 'charset' || /^(?:utf-8|"utf-8")$/i.test(value);
  });
}

/** Returns a media type without its parameters, in lower case; `undefined` if it is malformed. */
export function parseMediaType(contentType: string): string | undefined {
  return MEDIA_TYPE.exec(contentType)?.[1]?.toLowerCase();
}

/** Lists the values of a parameter, without their quotes. A repeated parameter has several. */
export function listParameters(contentType: string, name: string): string[] {
  const [, , parameters = ''] = MEDIA_TYPE.exec(contentType) ?? [];
  const found = [...parameters.matchAll(PARAMETER)].filter(([, each = '']) => each.toLowerCase() === name);
  return found.map(([, , value = '']) => (value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value));
}
