/** `docs/messages.md` has only messages that the source has, each once, with a cause and a fix. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REASONS } from '../src/errors/problem.ts';
import { assert, suite } from './support/facts.ts';

/** Where a status and the text of its problem stand together. */
const STATUS = /(?:makeRejection|ApiError\.(?:status|because)|reject)\(\s*('[a-z-]+'|\d{3}), (['`])(.+?)\2[,)]/g;

/** The messages of problems, with their statuses. */
function listStatuses(code: string): (readonly [detail: string, status: string])[] {
  return [...code.matchAll(STATUS)].map(([, given = '', , detail = '']) => [detail, String(Object.entries(REASONS).find(([reason]) => given === `'${reason}'`)?.[1] ?? given)]);
}

/** The code of a source, with `…` for the values in its templates, as the page writes them. */
function readCode(source: string): string {
  const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  return code.replaceAll(/\$\{[^{}]*\}/g, '…').replaceAll(/\\(.)/g, '$1');
}

/** The rows of the page that are wrong, and why. */
function findErrors(page: string, code: string): { readonly message: string; readonly error: string }[] {
  const statuses = new Map(listStatuses(code));
  const known = new Set<string>();
  return [...page.matchAll(/^\| `(.*?)`(.*)\|$/gm)].flatMap(([, message = '', explained = '']) => {
    const [, cause = '', fix = '', ...more] = explained.split('|').map((cell) => cell.trim());
    const stray = message.split(/…|: /).map((part) => part.trim()).filter((part) => /[A-Za-z]{3}/.test(part) && !code.includes(part));
    const status = statuses.get(message) ?? cause;
    const errors = [
      ...stray.map((part) => `the source does not have "${part}"`),
      ...known.has(message) ? ['occurs twice'] : [],
      ...cause.length < 3 || fix.length < 3 || more.length > 0 ? ['needs a cause and a fix'] : [],
      ...status === cause ? [] : [`the source sends ${status}`],
    ];
    known.add(message);
    return errors.map((error) => ({ message, error }));
  });
}

const page = readFileSync(join('docs', 'messages.md'), 'utf8');
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const code = files.map((name) => readCode(readFileSync(join('src', name), 'utf8'))).join('\n');

const rows = suite('a row of the messages');
const MOON = readCode(`
  // the tide turns
  /** the night falls */
  throw new TypeError(\`\${at} must not wane: \${JSON.stringify(moon)}\`);
  throw ApiError.status(409, 'The moon isn\\'t full.');
  throw makeRejection('version', \`\${count} nights are too many.\`);
`);
for (const [row, errors] of [
  ['`… must not wane: …` | a cause | a fix', []],
  ['`moon must not wane: …` | a cause | a fix', ['the source does not have "moon must not wane"']],
  ['`… must not rise: …` | a cause | a fix', ['the source does not have "must not rise"']],
  ['`the tide turns` | a cause | a fix', ['the source does not have "the tide turns"']],
  ['`the night falls` | a cause | a fix', ['the source does not have "the night falls"']],
  ['`… must not wane: …` | a cause | ', ['needs a cause and a fix']],
  ['`… must not wane: …` |  | a fix', ['needs a cause and a fix']],
  ['`… must not wane: …` | a cause', ['needs a cause and a fix']],
  ['`… must not wane: …` | a cause | a fix | more', ['needs a cause and a fix']],
  ["`The moon isn't full.` | 409 | a fix", []],
  ["`The moon isn't full.` | 404 | a fix", ['the source sends 409']],
  ['`… nights are too many.` | 503 | a fix', ['the source sends 412']],
  ['`… must not wane: …` | a cause | a fix |\n| `… must not wane: …` | a cause | a fix', ['occurs twice']],
] as const) {
  rows(`${row} -> ${errors.join() || 'no error'}`, () => {
    assert.equal(findErrors(`| Message | Cause | Fix |\n|---|---|---|\n| ${row} |\n`, MOON).map(({ error }) => error), errors);
  });
}
rows('is a message that the source has, once, with a cause and a fix, and the status that is sent', () => assert.equal(findErrors(page, code), []));
rows('is read, with its status: there are some', () => {
  assert.ok([...page.matchAll(/^\| `/gm)].length > 80);
  assert.ok(listStatuses(code).filter(([detail, status]) => page.includes(`| \`${detail}\` | ${status} |`)).length > 10);
});
