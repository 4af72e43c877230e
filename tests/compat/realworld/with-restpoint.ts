/** The RealWorld API with restpoint. */
import { ApiError, ApiServer, defineEndpoint, endpointWith, integerId, stringId } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { openApiHandler } from 'restpoint/openapi';
import { ArticleChange, Filter, Login, NewArticle, NewComment, NewUser, Page, UserChange } from './inputs.js';
import { Article, Articles, Comment, Comments, Profile, Tags, User } from './outputs.js';
import { store, StoreError } from './store.js';

const STATUSES = { forbidden: 403, missing: 404, taken: 422 };

const member = bearer((token) => store.userWith(token), { schemes: ['Token'] });
const anyone = member.optional;
const ofMember = endpointWith({ context: member });

export const server = new ApiServer('/api', {
  validationStatus: 422,
  mapError: (thrown) => {
    if (!(thrown instanceof StoreError)) return undefined;
    const { reason, message } = thrown;
    return reason === 'login' ? member.unauthorized(message) : ApiError.status(STATUSES[reason], message);
  },
  formatProblem: ({ errors, detail, title }) => {
    const messages = errors?.map((error) => [...(error.path ?? []), error.detail].join(' '));
    return { body: { errors: { body: messages ?? [detail ?? title] } } };
  },
});

const api = server.registerEndpoints({
  '/users': defineEndpoint({
    create: { input: NewUser, output: User, run: ({ user }) => store.register(user) },
    custom: { login: { input: Login, output: User, run: ({ user }) => store.login(user) } },
  }),
  '/user': ofMember({
    get: { output: User, run: ({ context }) => ({ user: context }) },
    update: {
      input: UserChange,
      output: User,
      run: ({ user }, { context }) => store.editUser(user, context),
    },
  }),
  '/profiles': defineEndpoint({
    id: stringId,
    context: anyone,
    get: { output: Profile, run: (name, { context }) => store.profile(name, context) },
  }),
  '/profiles/:name/follow': ofMember({
    params: { name: stringId },
    create: {
      status: 200,
      output: Profile,
      run: ({ params, context }) => store.follow(params.name, context),
    },
    delete: { output: Profile, run: ({ params, context }) => store.unfollow(params.name, context) },
  }),
  '/articles': ofMember({
    id: stringId,
    list: {
      context: anyone,
      query: Filter,
      output: Articles,
      run: ({ query, context }) => store.articles(query, context),
    },
    create: {
      input: NewArticle,
      output: Article,
      run: ({ article }, { context }) => store.publish(article, context),
    },
    get: { context: anyone, output: Article, run: (slug, { context }) => store.article(slug, context) },
    update: {
      input: ArticleChange,
      output: Article,
      run: (slug, { article }, { context }) => store.editArticle(slug, article, context),
    },
    delete: (slug, { context }) => store.removeArticle(slug, context),
  }),
  '/articles/feed': ofMember({
    get: { query: Page, output: Articles, run: ({ query, context }) => store.feed(query, context) },
  }),
  '/articles/:slug/comments': ofMember({
    params: { slug: stringId },
    id: integerId,
    list: {
      context: anyone,
      output: Comments,
      run: ({ params, context }) => store.comments(params.slug, context),
    },
    create: {
      status: 200,
      input: NewComment,
      output: Comment,
      run: ({ comment }, { params, context }) => store.comment(params.slug, comment, context),
    },
    delete: (id, { params, context }) => store.removeComment(params.slug, id, context),
  }),
  '/articles/:slug/favorite': ofMember({
    params: { slug: stringId },
    create: {
      status: 200,
      output: Article,
      run: ({ params, context }) => store.favorite(params.slug, context),
    },
    delete: { output: Article, run: ({ params, context }) => store.unfavorite(params.slug, context) },
  }),
  '/tags': defineEndpoint({ get: { output: Tags, run: () => store.tags() } }),
});
export type Api = typeof api;

const info = { title: 'RealWorld', version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } };
server.mount(
  '/openapi.json',
  openApiHandler(server, { info, servers: [{ url: 'https://conduit.example' }] }),
);
