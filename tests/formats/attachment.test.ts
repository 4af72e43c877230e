/** The name of a download. */
import { attachment } from '../../src/formats/index.ts';
import { assert, suite } from '../support/facts.ts';

const names = suite('the name of a download');
for (const [name, value] of [
  ['pets.csv', 'filename="pets.csv"'],
  ['Übersicht "Tiere".csv', "filename=\"Ubersicht Tiere.csv\"; filename*=UTF-8''%C3%9Cbersicht%20%22Tiere%22.csv"],
  ["it's 100 % (a*b).csv", "filename=\"it's 100  (a*b).csv\"; filename*=UTF-8''it%27s%20100%20%25%20%28a%2Ab%29.csv"],
  ['日本.csv', "filename=\"download.csv\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.csv"],
  ['a\\b\r\nc\ud800', "filename=\"abc\"; filename*=UTF-8''a%5Cb%0D%0Ac%EF%BF%BD"],
  ['', "filename=\"download\"; filename*=UTF-8''download"],
] as const) {
  names(`${JSON.stringify(name)} -> ${value}`, () => {
    const made = attachment(name);
    assert.equal(made, { 'Content-Disposition': `attachment; ${value}` });
    // Throws for a value that no header can have.
    assert.is(new Headers(made).get('Content-Disposition'), made['Content-Disposition']);
  });
}
names('a name that is not a string -> TypeError', () => {
  assert.throws(() => Reflect.apply(attachment, undefined, [7]), (error: unknown) => error instanceof TypeError && error.message === 'name must be a string: 7');
});
