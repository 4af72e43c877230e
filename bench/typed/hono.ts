// As in Hono's guide to validation: the validator of the body comes before the handler, and routes are chained.
import { Hono } from 'hono';
import { validator } from 'hono/validator';

// each
interface Pet_N { readonly name: string; readonly legs_N: number }
function asPet_N(value: unknown): Pet_N {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('legs_N' in value)) throw new TypeError('a pet');
  const { name, legs_N } = value;
  if (typeof name !== 'string' || typeof legs_N !== 'number') throw new TypeError('a pet');
  return { name, legs_N };
}
const pets_N = new Map<number, Pet_N>();
// end
export const app = new Hono()
// each
  .post('/v1/pet_N', validator('json', asPet_N), (c) => { pets_N.set(1, c.req.valid('json')); return c.text('1', 201); })
  .get('/v1/pet_N/:id', (c) => c.json(pets_N.get(Number(c.req.param('id'))) ?? { name: '', legs_N: 0 }))
  .put('/v1/pet_N/:id', validator('json', asPet_N), (c) => {
    pets_N.set(Number(c.req.param('id')), c.req.valid('json'));
    return c.body(null, 204);
  })
  .delete('/v1/pet_N/:id', (c) => { pets_N.delete(Number(c.req.param('id'))); return c.body(null, 204); })
  .post('/v1/pet_N/feed', validator('json', asPet_N), (c) => c.json({ fed: c.req.valid('json').name }))
// end
;
