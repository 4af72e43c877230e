/** A client of the RealWorld API: each operation once, by the type of the server alone. */
import { client } from 'restpoint/client';
import type { Api } from './with-restpoint.js';

export async function tour(base: string): Promise<string[]> {
  let token = '';
  const seen: string[] = [];
  const onResponse = ({ status }: Response) => seen.push(String(status));
  const api = client<Api>(`${base}/api`, {
    headers: () => (token ? { Authorization: `Token ${token}` } : {}),
  });

  const ann = { username: 'ann', email: 'ann@example.com', password: 'secret' };
  const { user } = await api.one('/users').create({ user: ann }, { onResponse });
  token = user.token;
  await api.one('/users').custom.login({ user: ann }, { onResponse });
  await api.one('/user').get({ onResponse });
  await api.one('/user').update({ user: { bio: 'a biologist' } }, { onResponse });
  const { profile } = await api('/profiles').get(user.username, { onResponse });

  const articles = api('/articles');
  const written = { title: 'Ants', description: 'On ants', body: 'They are many.', tagList: ['ants'] };
  const { article } = await articles.create({ article: written }, { onResponse });
  const { slug } = article;
  await articles.update(slug, { article: { body: 'They are legion.' } }, { onResponse });
  const { body, author } = (await articles.get(slug, { onResponse })).article;
  const { articlesCount } = await articles.list({ query: { tag: 'ants' }, onResponse });
  await api.one('/articles/feed').get({ query: { limit: 5 }, onResponse });
  await api.one('/profiles/:name/follow', { name: author.username }).create(undefined, { onResponse });
  await api.one('/profiles/:name/follow', { name: author.username }).delete({ onResponse });
  await api.one('/articles/:slug/favorite', { slug }).create(undefined, { onResponse });
  await api.one('/articles/:slug/favorite', { slug }).delete({ onResponse });

  const comments = api('/articles/:slug/comments', { slug });
  const { comment } = await comments.create({ comment: { body: 'Indeed.' } }, { onResponse });
  await comments.list({ onResponse });
  await comments.delete(comment.id, { onResponse });
  const { tags } = await api.one('/tags').get({ onResponse });
  await articles.delete(slug, { onResponse });
  return [...seen, profile.username, body, String(articlesCount), ...tags];
}
