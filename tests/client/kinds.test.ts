/** The client has every operation of the server's table, with its method and its path. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { client } from '../../src/client/index.ts';
import { stringId } from '../../src/codecs/index.ts';
import { KINDS } from '../../src/endpoint/kinds.ts';

type Call = (...args: unknown[]) => Promise<unknown>;

const kinds = suite('an operation of the table');
for (const { member, method, suffix, decoder } of KINDS) {
  kinds(`${member} is sent as ${method} ${suffix}`, async () => {
    const sent: unknown[] = [];
    const fetched = async (url: string, init: RequestInit): Promise<Response> => {
      sent.push(init.method, url, init.body);
      return new Response();
    };
    const api = client('/v1', { fetch: fetched })<{ id: typeof stringId }>({ path: '/pet', id: stringId }) as unknown as Record<string, Call & Record<string, Call>>;
    const call = suffix.endsWith('<name>') ? api[member]?.['feed'] : api[member];
    await call?.(...(suffix.includes(':id') ? ['x'] : []), ...(decoder === undefined ? [] : [1]));
    assert.equal(sent, [method, `/v1/pet${suffix.replace(':id', 'x').replace('<name>', 'feed')}`, decoder === undefined ? undefined : '1']);
  });
}
kinds.run();
