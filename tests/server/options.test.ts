/** The default of every option, the values that it may have, and the error that names it. */
import { LIMITS } from '../../src/http/limits.ts';
import { checkServerOptions, type ApiServerOptions, type Settings } from '../../src/server/settings/server-options.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const MAX_MS = 2 ** 31 - 1;
const SILENT = { info: () => {}, error: () => {} };

/** Reads options of a host without types. */
function settings(options: unknown): Settings {
  return checkServerOptions(options as ApiServerOptions);
}

function rejection(message: string): (error: unknown) => boolean {
  return isTypeError(message);
}

function isUnknownOption(path: string): (error: unknown) => boolean {
  return (error) => error instanceof TypeError && error.message.startsWith(`unknown option ${path}: `) && /[iI]t can be one of /.test(error.message);
}

const defaults = suite('the defaults');
for (const [options, why] of [
  [{}, 'no option'],
  [{ limits: {} }, 'no limit'],
  [{ limits: { bodyBytes: undefined }, stopGraceMs: undefined, allowedHosts: undefined, logger: undefined }, 'undefined for some'],
] as const) {
  defaults(`${why} -> every option has its default`, () => {
    const { limits, stopGraceMs, lingerMs, tls, allowedHosts } = settings(options);
    assert.equal(limits, Object.fromEntries(Object.entries(LIMITS.table).map(([name, { byDefault }]) => [name, byDefault])));
    assert.is(stopGraceMs, 10_000);
    assert.is(lingerMs, 50);
    assert.is(tls, undefined);
    assert.is(allowedHosts, undefined);
  });
}
defaults('the logger is the console', () => {
  const { info, error } = console;
  const said: unknown[] = [];
  console.info = console.error = (what: unknown) => said.push(what);
  try {
    const { logger } = settings({});
    const failure = new Error('a failure');
    logger.info('a route');
    logger.error(failure);
    assert.equal(said, ['a route', failure]);
  } finally {
    Object.assign(console, { info, error });
  }
});

const numbers = suite('an option that is a number');
const limitRanges = Object.entries(LIMITS.table).map(([name, { values }]) => [name, ...values.split(' to ').map(Number)] as const);
for (const [name, min = NaN, max = NaN] of [...limitRanges, ['stopGraceMs', 0, MAX_MS]] as const) {
  const isLimit = name in LIMITS.table;
  const given = (value: unknown): object => (isLimit ? { limits: { [name]: value } } : { [name]: value });
  const shown = isLimit ? `limits.${name}` : name;
  for (const value of [min, 100, max]) {
    numbers(`${shown} can be ${value}, and the other options keep their defaults`, () => {
      const numbersOf = ({ limits, stopGraceMs }: Settings): object => ({ ...limits, stopGraceMs });
      assert.equal(numbersOf(settings(given(value))), { ...numbersOf(settings({})), [name]: value });
    });
  }
  const beyond = max === Infinity ? [] : [max + 1, Infinity];
  for (const value of [min - 1, ...beyond, 100.5, NaN, -Infinity, '100', 100n, null, true, {}, Symbol('100')]) {
    numbers(`${shown} of ${typeof value} ${String(value)} -> TypeError that names it and its range`, () => {
      const message = `${shown} must be a whole number from ${min} to ${max}: ${String(value)}`;
      assert.throws(() => settings(given(value)), rejection(message));
    });
  }
}

const others = suite('an option that is not a number');
for (const [options, property, value] of [
  [{ uniqueKeys: false }, 'uniqueKeys', false],
  [{ uniqueKeys: true }, 'uniqueKeys', true],
  [{ allowedHosts: ['Zoo.example', '::1'] }, 'allowedHosts', new Set(['zoo.example', '::1'])],
] as const) {
  others(`${Object.keys(options).join()} can be ${JSON.stringify(Object.values(options)[0]) ?? 'a function'}`, () => {
    assert.equal(settings(options)[property], value);
  });
}
others('logger can be an instance of a class, which is called with its own `this`', () => {
  class ListLogger {
    readonly said: unknown[] = [];
    info(message: string): void {
      this.said.push(message);
    }
    error(error: Error): void {
      this.said.push(error.message);
    }
  }
  const own = new ListLogger();
  const { logger } = settings({ logger: own });
  logger.info('a route');
  logger.error(new Error('a failure'));
  assert.equal(own.said, ['a route', 'a failure']);
});
for (const [options, message] of [
  [{ uniqueKeys: 'true' }, 'uniqueKeys must be a boolean: true'],
  [{ jsonSchema: 1 }, 'jsonSchema must be a function: number'],
  [{ allowedHosts: 'zoo.example' }, 'allowedHosts must be a list of host names'],
  [{ allowedHosts: [] }, 'allowedHosts must be a list of host names'],
  // A list with a hole, as a misplaced comma makes it.
  [{ allowedHosts: [, 'zoo.example'] }, 'allowedHosts must have names or addresses without a port: undefined'],
  [{ allowedHosts: ['zoo.example:80'] }, 'allowedHosts must have names or addresses without a port: "zoo.example:80"'],
  [{ logger: true }, 'logger must have info and error'],
  [{ logger: () => {} }, 'logger must have info and error'],
  [{ logger: { info: () => {} } }, 'logger must have info and error'],
  [{ logger: { error: () => {} } }, 'logger must have info and error'],
  [{ logger: { info: () => {}, error: 'error' } }, 'logger must have info and error'],
  [{ allowedHosts: null }, 'allowedHosts must be a list of host names'],
  [{ logger: null }, 'logger must have info and error'],
  [{ limits: null }, 'limits must be an object: null'],
  [{ limits: 100 }, 'limits must be an object: 100'],
  [{ limits: 'none' }, 'limits must be an object: none'],
  [{ limits: Math.max }, `limits must be an object: ${String(Math.max)}`],
] as const) {
  others(`${Object.keys(options).join()}: ${message} -> TypeError`, () => assert.throws(() => settings(options), rejection(message)));
}

const unknown = suite('L5: an unknown option');
for (const name of ['port', 'Logger', 'stopGrace', 'limit', 'bodyBytes', '__proto__', 'constructor', 'toString']) {
  unknown(`${name} -> TypeError that names it`, () => assert.throws(() => settings({ logger: SILENT, [name]: 1 }), isUnknownOption(name)));
  if (name === 'bodyBytes') continue;
  unknown(`limits.${name} -> TypeError that names it`, () => {
    assert.throws(() => settings({ limits: { bodyBytes: 1, [name]: 1 } }), isUnknownOption(`limits.${name}`));
  });
}
for (const options of [null, undefined, 7, 'json', () => {}]) {
  unknown(`${String(options)} instead of an object -> TypeError`, () => {
    assert.throws(() => settings(options), rejection(`options must be an object: ${String(options)}`));
  });
}
