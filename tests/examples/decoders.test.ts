/** Which bodies and queries the example's decoders accept, and their messages for the others. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeMeal, decodePet, decodePetChange, decodeSearch } from '../../examples/zoo/pet.ts';
import { decodeZoo, decodeZooChange } from '../../examples/zoo/zoo.ts';

const rex = { name: 'Rex', legs: 4, lethal: false };
const artis = { name: 'Artis', city: 'Amsterdam' };

const accepted = suite('a body that a decoder accepts');
for (const [decode, json, why] of [
  [decodePet, rex, 'a pet'],
  [decodePet, { ...rex, legs: 0 }, 'no legs'],
  [decodePet, { ...rex, legs: 4294967295 }, 'the most legs'],
  [decodePet, { ...rex, name: '\u{1f40d}'.repeat(100) }, 'a hundred characters outside the basic plane'],
  [decodePetChange, rex, 'a change of everything'],
  [decodePetChange, { name: undefined, legs: undefined, lethal: true }, 'a change of one member'],
  [decodePetChange, { name: undefined, legs: undefined, lethal: undefined }, 'a change of nothing'],
  [decodeMeal, { grams: 1 }, 'the smallest meal'],
  [decodeMeal, { grams: 1_000_000 }, 'the greatest meal'],
  [decodeSearch, { name: 'R' }, 'a search'],
  [decodeZoo, artis, 'a zoo'],
  [decodeZooChange, { name: undefined, city: 'Utrecht' }, 'a zoo that moves'],
] as const) {
  accepted(`${why} is returned unchanged`, () => {
    assert.equal(decode(json), json);
  });
}
accepted('unknown members are dropped', () => {
  assert.equal(decodePet({ ...rex, id: 7, eaten: 9 }), rex);
  assert.equal(decodeZoo({ ...artis, id: 7 }), artis);
});
accepted.run();

const LEGS = 'legs: expected an integer from 0 to 4294967295';
const NAME = 'name: expected a text of 1 to 100 characters, none of them a control character';
const refused = suite('a body that a decoder refuses');
for (const [decode, json, message] of [
  [decodePet, null, 'expected an object'],
  [decodePet, 'Rex', 'expected an object'],
  [decodePet, [rex], 'expected an object'],
  [decodePet, {}, NAME],
  [decodePet, { ...rex, name: '' }, NAME],
  [decodePet, { ...rex, name: 'x'.repeat(101) }, NAME],
  [decodePet, { ...rex, name: 'a\0b' }, NAME],
  [decodePet, { ...rex, name: '\ud800' }, NAME],
  [decodePet, { ...rex, name: 7 }, NAME],
  [decodePet, { ...rex, legs: -1 }, LEGS],
  [decodePet, { ...rex, legs: 4294967296 }, LEGS],
  [decodePet, { ...rex, legs: 1.5 }, LEGS],
  [decodePet, { ...rex, legs: '4' }, LEGS],
  [decodePet, { ...rex, lethal: 0 }, 'lethal: expected true or false'],
  [decodePetChange, { name: null }, NAME],
  [decodePetChange, { legs: null }, LEGS],
  [decodePetChange, { lethal: 'no' }, 'lethal: expected true or false'],
  [decodeMeal, { grams: 0 }, 'grams: expected an integer from 1 to 1000000'],
  [decodeMeal, { grams: 1_000_001 }, 'grams: expected an integer from 1 to 1000000'],
  [decodeSearch, {}, NAME],
  [decodeZoo, { city: 'Utrecht' }, NAME],
  [decodeZoo, { name: 'Artis' }, NAME.replace('name', 'city')],
  [decodeZooChange, { city: '' }, NAME.replace('name', 'city')],
] as const) {
  refused(`${JSON.stringify(json).slice(0, 60)} -> ${message}`, () => {
    assert.throws(() => decode(json), (error: Error) => error.message === message);
  });
}
refused.run();
