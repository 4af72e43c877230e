/** The RealWorld API with Fastify. */
import Fastify, { type FastifyError, type FastifyRequest, type FastifyTypeProvider } from 'fastify';
import { z } from 'zod';
import { ArticleChange, Filter, Login, NewArticle, NewComment, NewUser, Page, UserChange } from './inputs.js';
import { Article, Articles, Comment, Comments, Profile, Tags, User } from './outputs.js';
import { type Account, store, StoreError } from './store.js';

declare module 'fastify' {
  interface FastifyRequest {
    user: Account | undefined;
  }
}

interface ZodTypes extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
}

class Unauthorized extends Error {
  readonly statusCode = 401;
}

const STATUSES = { login: 401, forbidden: 403, missing: 404, taken: 422 };

const Named = z.object({ name: z.string() });
const InArticle = z.object({ slug: z.string() });
const OneComment = InArticle.extend({ id: z.coerce.number() });

const errorsOf = (...messages: string[]) => ({ errors: { body: messages } });

const anyone = async (request: FastifyRequest) => {
  const header = request.headers.authorization;
  if (header === undefined) return;
  const [, token] = /^Token +(\S+)$/i.exec(header) ?? [];
  request.user = token === undefined ? undefined : store.userWith(token);
  if (!request.user) throw new Unauthorized('the token is not valid');
};

const memberOf = ({ user }: FastifyRequest) => {
  if (!user) throw new Unauthorized('a token is needed');
  return user;
};

const member = async (request: FastifyRequest) => {
  await anyone(request);
  memberOf(request);
};

export const app = Fastify().withTypeProvider<ZodTypes>();

app.decorateRequest('user', undefined);

app.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
  const { success, data: value, error } = schema.safeParse(data);
  return success ? { value } : { error };
});

app.setSerializerCompiler<z.ZodType>(
  ({ schema }) =>
    (data) =>
      JSON.stringify(schema.parse(data)),
);

app.setErrorHandler((error: FastifyError, _request, reply) => {
  if (error instanceof StoreError) return reply.code(STATUSES[error.reason]).send(errorsOf(error.message));
  if (error instanceof z.ZodError && error.validationContext) {
    return reply
      .code(422)
      .send(errorsOf(...error.issues.map(({ path, message }) => [...path, message].join(' '))));
  }
  if (error.statusCode !== undefined && error.statusCode < 500)
    return reply.code(error.statusCode).send(errorsOf(error.message));
  console.error(error);
  return reply.code(500).send(errorsOf('Internal Server Error'));
});

app.setNotFoundHandler((_request, reply) => reply.code(404).send(errorsOf('Not Found')));

app.register(
  async (api) => {
    const routes = api.withTypeProvider<ZodTypes>();

    routes.post('/users', { schema: { body: NewUser, response: { 201: User } } }, async ({ body }, reply) =>
      reply.code(201).send(store.register(body.user)),
    );

    routes.post('/users/login', { schema: { body: Login, response: { 200: User } } }, async ({ body }) =>
      store.login(body.user),
    );

    routes.get('/user', { preValidation: member, schema: { response: { 200: User } } }, async (request) => ({
      user: memberOf(request),
    }));

    routes.put(
      '/user',
      { preValidation: member, schema: { body: UserChange, response: { 200: User } } },
      async (request) => store.editUser(request.body.user, memberOf(request)),
    );

    routes.get(
      '/profiles/:name',
      { preValidation: anyone, schema: { params: Named, response: { 200: Profile } } },
      async ({ params, user }) => store.profile(params.name, user),
    );

    routes.post(
      '/profiles/:name/follow',
      { preValidation: member, schema: { params: Named, response: { 200: Profile } } },
      async (request) => store.follow(request.params.name, memberOf(request)),
    );

    routes.delete(
      '/profiles/:name/follow',
      { preValidation: member, schema: { params: Named, response: { 200: Profile } } },
      async (request) => store.unfollow(request.params.name, memberOf(request)),
    );

    routes.get(
      '/articles',
      { preValidation: anyone, schema: { querystring: Filter, response: { 200: Articles } } },
      async ({ query, user }) => store.articles(query, user),
    );

    routes.get(
      '/articles/feed',
      { preValidation: member, schema: { querystring: Page, response: { 200: Articles } } },
      async (request) => store.feed(request.query, memberOf(request)),
    );

    routes.post(
      '/articles',
      { preValidation: member, schema: { body: NewArticle, response: { 201: Article } } },
      async (request, reply) => reply.code(201).send(store.publish(request.body.article, memberOf(request))),
    );

    routes.get(
      '/articles/:slug',
      { preValidation: anyone, schema: { params: InArticle, response: { 200: Article } } },
      async ({ params, user }) => store.article(params.slug, user),
    );

    routes.put(
      '/articles/:slug',
      {
        preValidation: member,
        schema: { params: InArticle, body: ArticleChange, response: { 200: Article } },
      },
      async (request) => store.editArticle(request.params.slug, request.body.article, memberOf(request)),
    );

    routes.delete(
      '/articles/:slug',
      { preValidation: member, schema: { params: InArticle } },
      async (request, reply) => {
        store.removeArticle(request.params.slug, memberOf(request));
        return reply.code(204).send();
      },
    );

    routes.get(
      '/articles/:slug/comments',
      { preValidation: anyone, schema: { params: InArticle, response: { 200: Comments } } },
      async ({ params, user }) => store.comments(params.slug, user),
    );

    routes.post(
      '/articles/:slug/comments',
      { preValidation: member, schema: { params: InArticle, body: NewComment, response: { 200: Comment } } },
      async (request) => store.comment(request.params.slug, request.body.comment, memberOf(request)),
    );

    routes.delete(
      '/articles/:slug/comments/:id',
      { preValidation: member, schema: { params: OneComment } },
      async (request, reply) => {
        store.removeComment(request.params.slug, request.params.id, memberOf(request));
        return reply.code(204).send();
      },
    );

    routes.post(
      '/articles/:slug/favorite',
      { preValidation: member, schema: { params: InArticle, response: { 200: Article } } },
      async (request) => store.favorite(request.params.slug, memberOf(request)),
    );

    routes.delete(
      '/articles/:slug/favorite',
      { preValidation: member, schema: { params: InArticle, response: { 200: Article } } },
      async (request) => store.unfavorite(request.params.slug, memberOf(request)),
    );

    routes.get('/tags', { schema: { response: { 200: Tags } } }, async () => store.tags());
  },
  { prefix: '/api' },
);
