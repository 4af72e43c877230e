/** The bodies of the responses of the RealWorld API. */
import { z } from 'zod';

const text = z.string().min(1);

const profile = z.object({ username: text, bio: z.string().nullable(), image: z.string().nullable(), following: z.boolean() });
const summary = z.object({
  slug: text, title: text, description: text, tagList: z.array(text).readonly(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime(),
  favorited: z.boolean(), favoritesCount: z.int().min(0), author: profile,
});
const comment = z.object({ id: z.int(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime(), body: text, author: profile });

export const User = z.object({
  user: z.object({ username: text, email: z.email(), bio: z.string().nullable(), image: z.string().nullable(), token: text }),
});
export const Profile = z.object({ profile });
export const Article = z.object({ article: summary.extend({ body: text }) });
export const Articles = z.object({ articles: z.array(summary).readonly(), articlesCount: z.int().min(0) });
export const Comment = z.object({ comment });
export const Comments = z.object({ comments: z.array(comment).readonly() });
export const Tags = z.object({ tags: z.array(text).readonly() });
