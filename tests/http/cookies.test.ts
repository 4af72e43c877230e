/** The cookies of a request: which are found, and which are different ones. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCookieName, isCookieValue, listCookies } from '../../src/http/cookies.ts';

const found = suite('U9: the cookies with a name');
for (const [why, lines, values] of [
  ['no Cookie', [], []],
  ['one', ['session=a'], ['a']],
  ['an empty one', ['session='], ['']],
  ['among others', ['a=1; session=b; c=3'], ['b']],
  ['without a space after the semicolon', ['a=1;session=b;c=3'], ['b']],
  ['with spaces and tabs around', ['a=1 ; \t session \t=\t b \t; c=3'], ['b']],
  ['two', ['session=a; session=b'], ['a', 'b']],
  ['two in two lines', ['session=a', 'session=b'], ['a', 'b']],
  ['a value with =', ['session=a=b=='], ['a=b==']],
  ['a value in quotes, as it is', ['session="a"'], ['"a"']],
  ['a semicolon in quotes, which ends the cookie', ['x="; session=a; y="'], ['a']],
  ['a quote that is not closed', ['x="a; session=b'], ['b']],
  ['percent-encoded, as it is', ['session=%61'], ['%61']],
  ['an other case', ['Session=a; SESSION=b'], []],
  ['a longer name', ['session2=a; xsession=b; session.x=c'], []],
  ['the name as a value', ['x=session=a'], []],
  ['a value without a name', ['=session=a; session; a'], []],
  ['$Version and $Path of RFC 2109', ['$Version=1; session=a; $Path=/'], ['a']],
  ['a comma, which ends nothing', ['a=1, session=b'], []],
  // Other readers remove these, and take it for a name that only the host itself could set.
  ['a no-break space before the name', ['\xa0session=a'], []],
  ['a byte outside ASCII before the name', ['\xe2\x80\x80session=a'], []],
  ['a vertical tab before the name', ['\x0bsession=a'], []],
  ['a byte outside ASCII in the value', ['session=\xe4'], ['\xe4']],
] as const) {
  found(`${why}: ${JSON.stringify(lines)} -> ${JSON.stringify(values)}`, () => {
    assert.equal(listCookies(['Host', 'a', ...lines.flatMap((line) => ['cookie', line])], 'session'), values);
  });
}
found('are in lines named Cookie, in any case, and in no others', () => {
  assert.equal(listCookies(['COOKIE', 'session=a', 'Cookie2', 'session=b', 'X-Cookie', 'session=c', 'Set-Cookie', 'session=d'], 'session'), ['a']);
});
for (const [why, line] of [
  ['spaces', ' '.repeat(2_000_000)],
  ['spaces before a letter', `session=${' '.repeat(2_000_000)}a`],
  ['semicolons', ';'.repeat(2_000_000)],
  ['=', '='.repeat(2_000_000)],
  ['names', 'a;'.repeat(1_000_000)],
  ['quotes', '"'.repeat(2_000_000)],
] as const) {
  // A pattern that tries again at each character would take hours.
  found(`of two million characters, ${why}, are at most one`, () => assert.ok(listCookies(['Cookie', line], 'session').length <= 1));
}
found.run();

const values = suite('the value of a cookie');
for (const [value, isOne] of [
  ['', true], ['a', true], ['AZaz09!#$%&\'()*+-./:<=>?@[]^_`{|}~', true],
  ['"a"', false], ['a b', false], ['a,b', false], ['a;b', false], ['a\\b', false], ['\xe4', false], ['a\x7f', false], ['a\0', false], ['a\n', false],
] as const) {
  values(`${JSON.stringify(value)} -> ${isOne}`, () => assert.is(isCookieValue(value), isOne));
}
values.run();

const names = suite('the name of a cookie');
for (const name of ['session', '__Host-session', 'a.b!#$%&\'*+^_`|~']) names(`${name} is valid`, () => assert.is(checkCookieName(name), name));
for (const name of ['', 'a b', 'a=b', 'a;b', 'ä', '"a"', 7, undefined, ['a']]) {
  names(`${JSON.stringify(name)} -> TypeError`, () => {
    const text = `the name of a cookie must be a token, such as session: ${JSON.stringify(name)}`;
    assert.throws(() => checkCookieName(name), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
  });
}
names.run();
