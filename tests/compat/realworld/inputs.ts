/** The bodies and queries that the RealWorld API takes. All three programs share them. */
import { z } from 'zod';

const text = z.string().min(1);
const changed = text.optional();

export const NewUser = z.object({ user: z.object({ username: text, email: z.email(), password: text }) });
export const Login = z.object({ user: z.object({ email: z.email(), password: text }) });
export const UserChange = z.object({
  user: z.object({
    username: changed, email: z.email().optional(), password: changed, bio: z.string().nullish(), image: z.string().nullish(),
  }),
});
const tagList = z.array(text).optional();
export const NewArticle = z.object({ article: z.object({ title: text, description: text, body: text, tagList }) });
export const ArticleChange = z.object({ article: z.object({ title: changed, description: changed, body: changed, tagList }) });
export const NewComment = z.object({ comment: z.object({ body: text }) });

export const Page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0),
});
export const Filter = Page.extend({ tag: changed, author: changed, favorited: changed });
