/** The RealWorld API with restpoint. */
import { ApiError, ApiServer, integerId, stringId } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { ArticleChange, Filter, Login, NewArticle, NewComment, NewUser, Page, UserChange } from './inputs.js';
import { Article, Articles, Comment, Comments, Profile, Tags, User } from './outputs.js';
import { store, StoreError } from './store.js';

const STATUSES = { forbidden: 403, missing: 404, taken: 422 };

const member = bearer((token) => store.userWith(token), { schemes: ['Token'] });
const anyone = member.optional;

export const server = new ApiServer('/api', {
  validationStatus: 422,
  errorFrom: (thrown) => {
    if (!(thrown instanceof StoreError)) return undefined;
    const { reason, message } = thrown;
    return reason === 'login' ? member.unauthorized(message) : ApiError.status(STATUSES[reason], message);
  },
  formatProblem: ({ errors, detail, title }) => {
    const messages = errors?.map((error) => [...(error.path ?? []), error.detail].join(' '));
    return { body: { errors: { body: messages ?? [detail ?? title] } } };
  },
});

server.registerEndpoint('/users', {
  create: { input: NewUser, output: User, run: ({ user }) => store.register(user) },
  custom: { login: { input: Login, output: User, run: ({ user }) => store.login(user) } },
});

server.registerEndpoint('/user', {
  context: member,
  get: { output: User, run: ({ context }) => ({ user: context }) },
  update: { input: UserChange, output: User, run: ({ user }, { context }) => store.editUser(user, context) },
});

server.registerEndpoint('/profiles', {
  id: stringId,
  context: anyone,
  get: { output: Profile, run: (name, { context }) => store.profile(name, context) },
});

server.registerEndpoint('/profiles/:name/follow', {
  params: { name: stringId },
  context: member,
  create: { status: 200, output: Profile, run: ({ params, context }) => store.follow(params.name, context) },
  delete: { output: Profile, run: ({ params, context }) => store.unfollow(params.name, context) },
});

server.registerEndpoint('/articles', {
  id: stringId,
  context: member,
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
});

server.registerEndpoint('/articles/feed', {
  context: member,
  get: { query: Page, output: Articles, run: ({ query, context }) => store.feed(query, context) },
});

server.registerEndpoint('/articles/:slug/comments', {
  params: { slug: stringId },
  id: integerId,
  context: member,
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
});

server.registerEndpoint('/articles/:slug/favorite', {
  params: { slug: stringId },
  context: member,
  create: {
    status: 200,
    output: Article,
    run: ({ params, context }) => store.favorite(params.slug, context),
  },
  delete: { output: Article, run: ({ params, context }) => store.unfavorite(params.slug, context) },
});

server.registerEndpoint('/tags', { get: { output: Tags, run: () => store.tags() } });
