/** The long form of an operation: the same behaviour as the short form, and the further properties. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { integerId, type ApiServer, type StandardSchemaV1 } from '../../../src/index.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const wrapDecoded = (json: unknown): unknown => ({ decoded: json });

const forms = suite('O7: an operation as an options object');
class Store {
  readonly id = integerId;
  readonly schema = wrapDecoded;
  readonly got: unknown[] = [];
  readonly note = 'a property of its own';
  readonly create = { run: (pet: unknown) => (this.got.push(pet), 1) };
  readonly get = { run: this.#find.bind(this) };
  readonly update = { input: (json: unknown) => ({ own: json }), run: (...[, pet]: [number, unknown]) => void this.got.push(pet) };

  #find(id: number): unknown {
    return { id };
  }
}
forms('of a class that has further properties takes the schema or its own input', async () => {
  const store = new Store();
  await serve((server) => server.registerEndpoint('/pet', store as never), async ({ port }) => {
    assert.is((await send(port, message('POST', '/v1/pet', '1'))).status, 201);
    assert.is((await send(port, message('PUT', '/v1/pet/1', '2'))).status, 204);
    assert.is((await send(port, message('GET', '/v1/pet/3'))).body, '{"id":3}');
    assert.equal(store.got, [{ decoded: 1 }, { own: 2 }]);
  });
});
class Named {
  readonly #name = 'this';
  readonly run = function (this: Named): string {
    return this.#name;
  };
}
forms('is called as a method of it', async () => {
  const endpoint = { id: integerId, get: new Named(), list: new Named(), delete: new Named(), custom: { a: new Named() }, itemCustom: { b: new Named() } };
  await serve((server) => server.registerEndpoint('/pet', endpoint as never), async ({ port }) => {
    for (const [method, path] of [['GET', ''], ['GET', '/1'], ['POST', '/a'], ['POST', '/1/b']] as const) {
      assert.is((await send(port, message(method, `/v1/pet${path}`))).body, '"this"', path);
    }
    assert.is((await send(port, message('DELETE', '/v1/pet/1'))).status, 204);
  });
});
for (const body of ['', 'null', '1', '{}', 'no JSON']) {
  forms(`without input and schema takes no body: ${body || 'none'} -> 201`, async () => {
    let invoked = 0;
    await serve((server) => {
      server.registerEndpoint('/pet', { id: integerId, create: { run: (request) => (invoked += Number(request.params !== undefined)) } });
    }, async ({ port }) => {
      assert.is((await send(port, message('POST', '/v1/pet', body))).status, 201);
      assert.is(invoked, 1);
    });
  });
}
for (const [body, expected] of [['', '"undefined"'], ['7', '"{\\"decoded\\":7}"'], ['null', '"{\\"decoded\\":null}"']] as const) {
  forms(`whose input is optional: ${body || 'no body'} -> ${expected}`, async () => {
    await serve((server) => {
      server.registerEndpoint('/pet', { id: integerId, custom: { a: { input: wrapDecoded, optional: true, run: (input) => JSON.stringify(input) ?? 'undefined' } } });
    }, async ({ port }) => {
      assert.is((await send(port, message('POST', '/v1/pet/a', body))).body, expected);
    });
  });
}
forms('with its own limits: they override the server\'s', async () => {
  await serve((server) => {
    server.registerEndpoint('/pet', {
      id: integerId,
      custom: {
        small: { input: String, limits: { bodyBytes: 4 }, run: (text) => text },
        large: { input: String, limits: { bodyBytes: 100 }, run: (text) => text },
        quick: { limits: { operationMs: 20 }, run: () => new Promise(() => {}) },
        usual: { input: String, run: (text) => text },
      },
    });
  }, async ({ port, errors }) => {
    const status = async (name: string, body: string): Promise<number> => (await send(port, message('POST', `/v1/pet/${name}`, body))).status;
    assert.equal([await status('small', '1234'), await status('small', '12345')], [200, 413]);
    assert.equal([await status('usual', '1234567890'), await status('usual', '12345678901')], [200, 413]);
    assert.equal([await status('large', '1'.repeat(15)), await status('large', `"${'1'.repeat(99)}"`)], [200, 413]);
    assert.is(await status('quick', ''), 503);
    assert.is(errors.length, 1);
  }, { limits: { bodyBytes: 10 } });
});
forms.run();

/** Drops secret properties, and rejects an object without a name. */
const shown: StandardSchemaV1<unknown, { name: string }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const { name } = value as { name?: unknown };
      return typeof name === 'string' ? { value: { name } } : { issues: [{ message: 'expected a name' }] };
    },
  },
};

const broken: StandardSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: () => {
      throw new Error('secret');
    },
  },
};

const outputs = suite('O8 Q12: the output of an operation');
const USER = { name: 'Ann', password: 'secret' };
const declare = (server: ApiServer): void => {
  server.registerEndpoint('/user', {
    id: integerId,
    list: { output: (all: unknown) => (all as unknown[]).length, run: () => [USER, USER] },
    get: { output: shown, run: (id) => [USER, { password: 'secret' }, undefined][id] },
    custom: {
      me: { output: async (user) => ({ ...(user as object), password: undefined }), run: () => USER },
      mapped: { output: { 200: shown, 304: null }, run: () => USER },
      rejected: { output: () => Promise.reject(new Error('secret')), run: () => USER },
      thrown: { output: () => { throw new Error('secret'); }, run: () => USER },
      broken: { output: broken, run: () => USER },
    },
    delete: { output: { 200: shown, 204: null }, run: (id) => (id === 2 ? undefined : USER) },
  });
};
for (const [method, path, expected] of [
  ['GET', '/user', '2'],
  ['GET', '/user/0', '{"name":"Ann"}'],
  ['POST', '/user/me', '{"name":"Ann"}'],
  ['POST', '/user/mapped', '{"name":"Ann"}'],
  ['DELETE', '/user/1', '{"name":"Ann"}'],
] as const) {
  outputs(`${method} ${path}: its result is sent -> ${expected}`, async () => {
    await serve(declare, async ({ port }) => {
      const reply = await send(port, message(method, `/v1${path}`));
      assert.equal([reply.status, reply.body], [200, expected]);
    });
  });
}
for (const [method, path] of [['GET', '/user/1'], ['POST', '/user/broken'], ['POST', '/user/rejected'], ['POST', '/user/thrown']] as const) {
  outputs(`${method} ${path}: a result that it rejects is a 500, logged, and reveals nothing`, async () => {
    await serve(declare, async ({ port, errors }) => {
      const reply = await send(port, message(method, `/v1${path}`));
      assert.is(reply.status, 500);
      assert.is(readProblem(reply).detail, undefined);
      assert.is(errors.length, 1);
    });
  });
}
outputs('is not asked for an item that does not exist, nor for nothing where 204 is declared', async () => {
  await serve(declare, async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/user/2'))).status, 404);
    assert.is((await send(port, message('DELETE', '/v1/user/2'))).status, 204);
    assert.equal(errors, []);
  });
});
outputs.run();
