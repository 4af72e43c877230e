/** An API that needs credentials of each kind, and whose functions fail in every way. None of them repeats a credential. */
import { apiKey, basic, bearer } from '../../src/auth/index.ts';
import {
  ApiError, bytes, defineEndpoint, reply, stringId, type ApiServer, type ApiServerOptions, type ContextRequest, type ProblemFormat,
} from '../../src/index.ts';

/** How a server shows failures, and whether its time limits are short. */
export interface Variant {
  readonly form: 'problem' | 'own' | 'failing';
  readonly isImpatient: boolean;
}

export const VARIANTS: readonly Variant[] = (['problem', 'own', 'failing'] as const).flatMap((form) => {
  return [false, true].map((isImpatient) => ({ form, isImpatient }));
});

/** Names a variant in the name of a test. */
export function nameVariant({ form, isImpatient }: Variant): string {
  const requests = isImpatient ? 'requests that take too long' : 'requests that get a response at once';
  return `form of problems: ${form}, ${requests}`;
}

const FORMS: Readonly<Record<Variant['form'], ProblemFormat | undefined>> = {
  problem: undefined,
  own: (problem) => ({ headers: { 'X-Form': 'own' }, body: { error: problem } }),
  failing: () => { throw new Error('no form', { cause: new Error('no paper') }); },
};

const SHORT = { headersMs: 3000, requestMs: 3000, operationMs: 3000 };

/** The options of a server, apart from its logger. */
export function optionsOf({ form, isImpatient }: Variant): ApiServerOptions {
  const formatProblem = FORMS[form];
  return {
    ...(formatProblem !== undefined && { formatProblem }),
    limits: { bodyBytes: 200, ...(isImpatient && SHORT) },
  };
}

/** The result of `verify` for a secret: its first word decides. Two header lines are not a secret. */
function verify(secret: string): unknown {
  if (secret.includes(',')) return undefined;
  switch (secret.slice(0, secret.indexOf('-'))) {
    case 'good':
      return 'ann';
    case 'later':
      return new Promise((resolve) => setImmediate(resolve, 'ann'));
    case 'thrown':
      throw new Error('the store is down', { cause: new Error('no route to host') });
    case 'rejected':
      return Promise.reject(new Error('the store is down'));
    case 'internal':
      throw ApiError.internal('the store is down', { cause: new Error('no route to host') });
    case 'forbidden':
      throw ApiError.status(403, 'Not you.');
    case 'expired':
      return Promise.reject(ApiError.status(401, 'It has expired.', { headers: { 'WWW-Authenticate': 'Own' } }));
    case 'endless':
      return new Promise(() => {});
    default:
      return undefined;
  }
}

/** The behaviour of an operation for each id. */
const OUTCOMES: Readonly<Record<string, () => unknown>> = {
  fine: () => ({ name: 'ant' }),
  thrown: () => { throw new Error('the disk is gone', { cause: new Error('EIO') }); },
  rejected: async () => { throw ApiError.internal('the disk is gone', { cause: new Error('EIO') }); },
  argument: () => { throw ApiError.argument('no'); },
  conflict: () => { throw ApiError.status(409, 'taken', { extensions: { by: 'bee' } }); },
  missing: () => undefined,
  unsendable: () => 1n,
  broken: () => reply(200, (async function* () { yield 'half'; throw new Error('the disk is gone'); })()),
  slow: () => new Promise(() => {}),
};

function endpointFor(context: (request: ContextRequest) => unknown): object {
  return defineEndpoint({
    id: stringId,
    context,
    schema: (json: unknown): unknown => {
      if (json === 'ant') return json;
      throw new Error('expected an ant');
    },
    create: () => '1',
    get: (id) => OUTCOMES[id]?.(),
    custom: {
      fail: { run: () => { throw new Error('the disk is gone'); } },
      find: { query: (query) => query, run: () => 1 },
      put: { input: bytes({ types: ['image/png'] }), run: async (body) => { for await (const _ of body); return 'stored'; } },
    },
  });
}

/** Declares `/bearer`, `/basic` and `/apiKey`, a mount and middleware that fail. */
export function declare(server: ApiServer): void {
  server.use((request, _response, next) => {
    if (request.headers['x-reject'] === undefined) next();
    else next(Object.assign(new Error('not now'), { status: Number(request.headers['x-reject']), expose: true }));
  });
  server.registerEndpoint('/bearer', endpointFor(bearer(verify)));
  server.registerEndpoint('/basic', endpointFor(basic((_user, password) => verify(password))));
  server.registerEndpoint('/apiKey', endpointFor(apiKey('X-API-Key', verify)));
  server.mount('/mount', () => { throw new Error('the mount is gone'); });
}
