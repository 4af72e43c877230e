/** The RealWorld API with Hono. */
import { type Context, Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { validator } from 'hono/validator';
import type { z } from 'zod';
import { ArticleChange, Filter, Login, NewArticle, NewComment, NewUser, Page, UserChange } from './inputs.js';
import { Article, Articles, Comment, Comments, Profile, Tags, User } from './outputs.js';
import { type Account, store, StoreError } from './store.js';

const STATUSES = { login: 401, forbidden: 403, missing: 404, taken: 422 } as const;

const errorsOf = (...messages: string[]) => ({ errors: { body: messages } });

const valid = <Target extends 'json' | 'query', Schema extends z.ZodType>(target: Target, schema: Schema) =>
  validator(target, (value, c) => {
    const { success, data, error } = schema.safeParse(value);
    if (success) return data;
    return c.json(errorsOf(...error.issues.map(({ path, message }) => [...path, message].join(' '))), 422);
  });

const userOf = (c: Context): Account | undefined => {
  const header = c.req.header('Authorization');
  if (header === undefined) return undefined;
  const [, token] = /^Token +(\S+)$/i.exec(header) ?? [];
  const user = token && store.userWith(token);
  if (!user) throw new HTTPException(401, { message: 'the token is not valid' });
  return user;
};

const anyone = createMiddleware<{ Variables: { user: Account | undefined } }>(async (c, next) => {
  c.set('user', userOf(c));
  await next();
});

const member = createMiddleware<{ Variables: { user: Account } }>(async (c, next) => {
  const user = userOf(c);
  if (!user) throw new HTTPException(401, { message: 'a token is needed' });
  c.set('user', user);
  await next();
});

export const app = new Hono().basePath('/api');

app.onError((error, c) => {
  if (error instanceof StoreError) return c.json(errorsOf(error.message), STATUSES[error.reason]);
  if (error instanceof HTTPException) return c.json(errorsOf(error.message), error.status);
  console.error(error);
  return c.json(errorsOf('Internal Server Error'), 500);
});

app.notFound((c) => c.json(errorsOf('Not Found'), 404));

app.post('/users', valid('json', NewUser), (c) =>
  c.json(User.parse(store.register(c.req.valid('json').user)), 201),
);

app.post('/users/login', valid('json', Login), (c) =>
  c.json(User.parse(store.login(c.req.valid('json').user))),
);

app.get('/user', member, (c) => c.json(User.parse({ user: c.var.user })));

app.put('/user', member, valid('json', UserChange), (c) =>
  c.json(User.parse(store.editUser(c.req.valid('json').user, c.var.user))),
);

app.get('/profiles/:name', anyone, (c) =>
  c.json(Profile.parse(store.profile(c.req.param('name'), c.var.user))),
);

app.post('/profiles/:name/follow', member, (c) =>
  c.json(Profile.parse(store.follow(c.req.param('name'), c.var.user))),
);

app.delete('/profiles/:name/follow', member, (c) =>
  c.json(Profile.parse(store.unfollow(c.req.param('name'), c.var.user))),
);

app.get('/articles', anyone, valid('query', Filter), (c) =>
  c.json(Articles.parse(store.articles(c.req.valid('query'), c.var.user))),
);

app.get('/articles/feed', member, valid('query', Page), (c) =>
  c.json(Articles.parse(store.feed(c.req.valid('query'), c.var.user))),
);

app.post('/articles', member, valid('json', NewArticle), (c) =>
  c.json(Article.parse(store.publish(c.req.valid('json').article, c.var.user)), 201),
);

app.get('/articles/:slug', anyone, (c) =>
  c.json(Article.parse(store.article(c.req.param('slug'), c.var.user))),
);

app.put('/articles/:slug', member, valid('json', ArticleChange), (c) =>
  c.json(Article.parse(store.editArticle(c.req.param('slug'), c.req.valid('json').article, c.var.user))),
);

app.delete('/articles/:slug', member, (c) => {
  store.removeArticle(c.req.param('slug'), c.var.user);
  return c.body(null, 204);
});

app.get('/articles/:slug/comments', anyone, (c) =>
  c.json(Comments.parse(store.comments(c.req.param('slug'), c.var.user))),
);

app.post('/articles/:slug/comments', member, valid('json', NewComment), (c) =>
  c.json(Comment.parse(store.comment(c.req.param('slug'), c.req.valid('json').comment, c.var.user))),
);

app.delete('/articles/:slug/comments/:id', member, (c) => {
  store.removeComment(c.req.param('slug'), Number(c.req.param('id')), c.var.user);
  return c.body(null, 204);
});

app.post('/articles/:slug/favorite', member, (c) =>
  c.json(Article.parse(store.favorite(c.req.param('slug'), c.var.user))),
);

app.delete('/articles/:slug/favorite', member, (c) =>
  c.json(Article.parse(store.unfavorite(c.req.param('slug'), c.var.user))),
);

app.get('/tags', (c) => c.json(Tags.parse(store.tags())));
