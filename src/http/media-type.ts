/** Whether a `Content-Type` says JSON (RFC 8259, and the `+json` suffix of RFC 6839) in UTF-8. */

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
// RFC 9110 section 8.3.1: type "/" subtype, then parameters, which may be empty. White space stands in one place only
// between semicolons: in two, it could be shared out in ever more ways.
const JSON_TYPE = new RegExp(
  `^(?:application/json|${TOKEN}/${TOKEN}\\+json)((?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*)[ \\t]*$`, 'i',
);
const PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})=(${TOKEN}|${QUOTED})`, 'g');

/** Says whether a body of this type is read as JSON. */
export function isJsonType(contentType: string): boolean {
  // The two spellings that nearly every client sends.
  if (contentType === 'application/json' || contentType === 'application/json; charset=utf-8') return true;
  const [, parameters] = JSON_TYPE.exec(contentType) ?? [];
  if (parameters === undefined) return false;
  return [...parameters.matchAll(PARAMETER)].every(([, name = '', value = '']) => {
    return name.toLowerCase() !== 'charset' || /^(?:utf-8|"utf-8")$/i.test(value);
  });
}
