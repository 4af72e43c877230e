/**
 * The string about a test that fails: its error, the first difference with ten lines around it, and the stack. It is short and printable,
 * whatever the values are: a page, bytes, or something thrown that is not an error.
 *
 *     FAIL  routes  "lists them"
 *     Expected values to be deeply equal:
 *       the first difference is in line 2 (- actual, + expected)
 *           [
 *         -   'GET /a'
 *         +   'GET /b'
 *           ]
 *     at tests/router/routes.test.ts:12:10
 */
import { inspect } from 'node:util';

const AROUND = 10;
const MAX_COLUMNS = 200;
const MAX_FRAMES = 10;
const MAX_CAUSES = 3;
const MAX_PROPERTIES = 100_000;
/** Operators of assertions that compare two values. */
const COMPARES = /^(?:is|equal|snapshot|fixture|(?:deep|strict|deepStrict)Equal)$/;

/** What the errors of uvu, of `node:assert`, and of `transcript.ts` have. */
interface TestError extends Error {
  readonly operator?: string;
  readonly actual?: unknown;
  readonly expects?: unknown;
  readonly expected?: unknown;
  readonly transcript?: string;
}

/** Formats what was thrown. `title` names the test or the hook. */
export function formatFailure(title: string, thrown: unknown): string {
  return `  FAIL  ${escape(title)}\n${indent(formatError(thrown), 4)}`;
}

function formatError(thrown: unknown, causes: number = 0): string {
  if (!(thrown instanceof Error)) return `threw something other than an error: ${shorten(inspect(thrown))}`;
  const error = thrown as TestError;
  const isAssertion = error.name.startsWith('Assertion');
  return [
    shorten(isAssertion || error.name === 'Error' ? error.message : `${error.name}: ${error.message}`),
    ...(isAssertion ? formatValues(error) : []),
    ...(error.transcript === undefined ? [] : [indent(error.transcript, 2)]),
    ...formatStack(error),
    ...(error.cause === undefined || causes === MAX_CAUSES ? [] : [`caused by: ${formatError(error.cause, causes + 1)}`]),
  ].join('\n');
}

function formatValues({ operator = '', actual, expects, expected = expects }: TestError): string[] {
  if (operator === 'match') return [`  actual:\n${indent(shorten(toText(actual)), 4)}`];
  return COMPARES.test(operator) ? [indent(firstDifference(toText(actual), toText(expected)), 2)] : [];
}

/** A value as lines. Equal values give equal lines. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return inspect(value, { depth: 20, compact: false, sorted: true, maxArrayLength: MAX_PROPERTIES, maxStringLength: null });
}

/** The first lines that differ, with equal ones around them. */
export function firstDifference(actual: string, expected: string): string {
  const [left, right] = [actual.split('\n'), expected.split('\n')];
  const start = left.findIndex((line, index) => line !== right[index]);
  const line = start === -1 ? left.length : start;
  if (line === left.length && line === right.length) return `no difference is visible:\n${indent(shorten(actual), 4)}`;
  const [removed, added, after] = findEqual(left.slice(line, line + AROUND + 1), right.slice(line, line + AROUND + 1));
  const column = findColumn(left[line] ?? '', right[line] ?? '');
  return [
    `the first difference is in line ${line + 1} (- actual, + expected)`,
    ...left.slice(Math.max(0, line - AROUND), line).map((text) => `    ${cutLine(text)}`),
    ...left.slice(line, line + removed).map((text, index) => `  - ${cutLine(text, index === 0 ? column : 0)}`),
    ...right.slice(line, line + added).map((text, index) => `  + ${cutLine(text, index === 0 ? column : 0)}`),
    ...left.slice(line + removed, line + removed + after).map((text) => `    ${cutLine(text)}`),
  ].join('\n');
}

/** How many lines to leave out of each list until both go on with the same line, and how many to show after that. */
function findEqual(left: readonly string[], right: readonly string[]): readonly [number, number, number] {
  for (let skipped = 1; skipped < left.length + right.length; skipped += 1) {
    for (let removed = 0; removed <= skipped; removed += 1) {
      const [line, other] = [left[removed], right[skipped - removed]];
      if (line !== undefined && line === other) return [removed, skipped - removed, AROUND];
    }
  }
  return [Math.min(left.length, AROUND), Math.min(right.length, AROUND), 0];
}

function findColumn(left: string, right: string): number {
  let column = 0;
  while (column < left.length && left[column] === right[column]) column += 1;
  return column;
}

/** The part of a long line around this column. */
function cutLine(line: string, column: number = 0): string {
  const start = line.length <= MAX_COLUMNS ? 0 : Math.max(0, column - MAX_COLUMNS / 2);
  const end = start + MAX_COLUMNS;
  const more = line.length - end;
  return (start > 0 ? `… ${start} characters … ` : '') + escape(line.slice(start, end)) + (more > 0 ? ` … ${more} characters` : '');
}

/** The first and the last lines of a string, each cut. */
function shorten(text: string): string {
  const lines = text.trimEnd().split('\n');
  const omitted = lines.length - 2 * AROUND;
  if (omitted <= 1) return lines.map((line) => cutLine(line)).join('\n');
  const shown = [...lines.slice(0, AROUND).map((line) => cutLine(line)), `… ${omitted} lines …`, ...lines.slice(-AROUND).map((line) => cutLine(line))];
  return shown.join('\n');
}

/** Makes control characters visible, except for tabs. */
function escape(text: string): string {
  return text.replaceAll(/[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029\ufeff]|\p{Cs}/gu, (char) => {
    return JSON.stringify(char).slice(1, -1).replace(/^[^\\]$/, `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  });
}

/** The frames of a stack, without those of Node, of uvu, and of the runner. */
function formatStack({ name, message, stack = '' }: Error): string[] {
  const frames = stack.startsWith(`${name}: ${message}`) ? stack.slice(name.length + message.length + 2) : stack.slice(stack.indexOf('\n    at '));
  return (frames.match(/^ +at .*/gm) ?? [])
    .filter((frame) => !/[( ]node:|\/node_modules\/uvu\/|\/support\/run-files\.js/.test(frame))
    .slice(0, MAX_FRAMES)
    .map((frame) => frame.trim());
}

function indent(text: string, spaces: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));
}
