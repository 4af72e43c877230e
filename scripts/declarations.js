/** Reads the statements of declarations, as the compiler writes them into `.d.ts` files. */

/** A statement that declares its name. */
export const DECLARATION = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|type|function|const|enum|namespace) ([\w$]+)/;
/** A statement that ends with its body, and not with a semicolon. */
const HAS_BODY = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum|namespace|module|global)\b/;
const COMMENT = /^\/[/*]/;

/** The pairs of a list between braces: `a, type b as c` has `[a, a]` and `[b, c]`. */
export function namesIn(list) {
  const names = list.split(',').map((each) => each.trim().replace(/^type /, '')).filter((each) => each !== '');
  return names.map((each) => each.split(' as ')).map(([original, local = original]) => [original, local]);
}

/** The statements of a file, with the comments before them. What follows the last one is left out. */
export function splitStatements(source) {
  const statements = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < source.length;) {
    const end = endOfToken(source, at);
    const sign = source.slice(at, end);
    if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) depth -= 1;
    const isBody = sign === '}' && source[end] === '\n' && HAS_BODY.test(withoutComments(source.slice(start, end)).trimStart());
    if (depth === 0 && (sign === ';' || isBody)) {
      statements.push(source.slice(start, end).trim());
      start = end;
    }
    at = end;
  }
  const rest = withoutComments(source.slice(start)).trim();
  if (rest !== '') throw new Error(`a declaration without an end: ${rest.slice(0, 80)}`);
  return statements;
}

/** Removes comments, and the lines that they leave empty. */
export function withoutComments(source) {
  let text = '';
  for (let at = 0; at < source.length;) {
    const end = endOfToken(source, at);
    if (!COMMENT.test(source.slice(at, end))) text += source.slice(at, end);
    at = end;
  }
  return text.replaceAll(/ +$/gm, '').replaceAll(/^\n+/gm, '');
}

/** Where the comment, the string, the template or the character that begins at a position ends. */
function endOfToken(source, start) {
  if (source.startsWith('//', start)) return endBefore(source, '\n', start);
  if (source.startsWith('/*', start)) return endBefore(source, '*/', start) + 2;
  const quote = source[start];
  if (quote !== "'" && quote !== '"' && quote !== '`') return start + 1;
  let at = start + 1;
  while (source[at] !== quote) {
    if (at >= source.length) throw new Error(`a string without an end: ${source.slice(start, start + 80)}`);
    if (source[at] === '\\') at += 2;
    else if (quote === '`' && source.startsWith('${', at)) at = endOfValue(source, at + 2);
    else at += 1;
  }
  return at + 1;
}

/** Where the next mark after a position begins, or the source ends. */
function endBefore(source, mark, start) {
  const found = source.indexOf(mark, start + 2);
  return found === -1 ? source.length : found;
}

/** Where a value in a template ends, after its brace. */
function endOfValue(source, start) {
  let depth = 1;
  let at = start;
  while (depth > 0) {
    if (at >= source.length) throw new Error(`a template without an end: ${source.slice(start, start + 80)}`);
    if (source[at] === '{') depth += 1;
    if (source[at] === '}') depth -= 1;
    at = endOfToken(source, at);
  }
  return at;
}
