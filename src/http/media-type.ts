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

/**
 * Returns the type of a body in one spelling, if it is JSON or has parts: without `charset=utf-8`, which these have anyway, and without the
 * boundary of parts. Any other type is returned as it is.
 */
export function normalizeBodyType(contentType: string): string {
  if (contentType === 'application/json') return contentType;
  const type = parseMediaType(contentType);
  const isKnown = type !== undefined && (isJsonType(contentType) || type === 'application/x-www-form-urlencoded' || isMultipart(type));
  if (!isKnown) return contentType;
  const kept = parseParameters(contentType).filter(([name, value]) => {
    return name === 'boundary' ? !isMultipart(type) : name !== 'charset' || !/^utf-?8$/i.test(value);
  });
  return [type, ...kept.map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join('; ');
}

/** The boundary of a body with parts (RFC 2046 section 5.1.1). `undefined` if the type has not exactly one. */
export function findBoundary(contentType: string): string | undefined {
  if (!isMultipart(parseMediaType(contentType) ?? '')) return undefined;
  const [boundary, ...others] = listParameters(contentType, 'boundary');
  return others.length > 0 || boundary === '' ? undefined : boundary;
}

function isMultipart(type: string): boolean {
  return type.startsWith('multipart/');
}

/** Lists the values of a parameter, without their quotes. A repeated parameter has several. */
export function listParameters(contentType: string, name: string): string[] {
  return parseParameters(contentType).filter(([each]) => each === name).map(([, value]) => value);
}

/** Returns the parameters, with their names in lower case, and their values without quotes. */
function parseParameters(contentType: string): (readonly [name: string, value: string])[] {
  const [, , parameters = ''] = MEDIA_TYPE.exec(contentType) ?? [];
  return [...parameters.matchAll(PARAMETER)].map(([, name = '', value = '']) => {
    return [name.toLowerCase(), value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value] as const;
  });
}
