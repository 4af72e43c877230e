/**
 * The users, articles and comments of the RealWorld API, in memory. All three programs share it: they differ only in how they serve it.
 *
 * It contains no HTTP code. Its methods return bodies, with all that is stored: what may be sent of them, `outputs.ts` says.
 */
import { randomUUID } from 'node:crypto';

export interface Registration { readonly username: string; readonly email: string; readonly password: string }
export interface Credentials { readonly email: string; readonly password: string }
export interface Draft {
  readonly title: string; readonly description: string; readonly body: string; readonly tagList?: readonly string[] | undefined;
}
/** A user as another sees it, with all that is stored. */
export interface Profile extends Account { readonly following: boolean }
export interface Page { readonly limit: number; readonly offset: number }
export interface Filter extends Page {
  readonly tag?: string | undefined; readonly author?: string | undefined; readonly favorited?: string | undefined;
}
export interface Article extends Omit<Draft, 'tagList'> {
  readonly slug: string; readonly tagList: readonly string[]; readonly createdAt: string; readonly updatedAt: string;
  readonly favorited: boolean; readonly favoritesCount: number; readonly author: Profile;
}
export interface Comment {
  readonly id: number; readonly createdAt: string; readonly updatedAt: string; readonly body: string; readonly author: Profile;
}
export interface UserBody { readonly user: Account }
export interface ProfileBody { readonly profile: Profile }
export interface ArticleBody { readonly article: Article }
export interface Articles { readonly articles: readonly Article[]; readonly articlesCount: number }

/** The properties that a caller may change. Those that are `undefined` stay. */
type ChangesOf<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
export type UserChanges = ChangesOf<Registration & { readonly bio: string | null; readonly image: string | null }>;

export type Reason = 'login' | 'forbidden' | 'missing' | 'taken';

/** Why the store rejects a call. */
export class StoreError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A user as stored: callers must not send all of it. */
export interface Account extends Registration {
  bio: string | null; image: string | null; readonly token: string; readonly follows: Set<Account>;
}

interface Post {
  slug: string; draft: Draft; updatedAt: string; readonly author: Account; readonly createdAt: string;
  readonly favoredBy: Set<Account>; readonly comments: Remark[];
}
interface Remark { readonly id: number; readonly body: string; readonly author: Account; readonly at: string }

class Store {
  #accounts: Account[] = [];
  // The newest is the first.
  #posts: Post[] = [];
  #remarks = 0;

  clear(): void {
    this.#accounts = [];
    this.#posts = [];
    this.#remarks = 0;
  }

  register({ username, email, password }: Registration): UserBody {
    this.#claim({ username, email });
    const account = { username, email, password, bio: null, image: null, token: randomUUID(), follows: new Set<Account>() };
    this.#accounts.push(account);
    return { user: account };
  }

  login({ email, password }: Credentials): UserBody {
    const account = this.#accounts.find((each) => each.email === email && each.password === password);
    if (account === undefined) throw new StoreError('login', 'email or password is invalid');
    return { user: account };
  }

  userWith(token: string): Account | undefined {
    return this.#accounts.find((each) => each.token === token);
  }

  editUser(changes: UserChanges, account: Account): UserBody {
    this.#claim(changes, account);
    return { user: Object.assign(account, given(changes)) };
  }

  profile(username: string, viewer?: Account): ProfileBody {
    return { profile: profileOf(this.#named(username), viewer) };
  }

  follow(username: string, viewer: Account): ProfileBody {
    viewer.follows.add(this.#named(username));
    return this.profile(username, viewer);
  }

  unfollow(username: string, viewer: Account): ProfileBody {
    viewer.follows.delete(this.#named(username));
    return this.profile(username, viewer);
  }

  articles({ tag, author, favorited, ...page }: Filter, viewer?: Account): Articles {
    return this.#page(page, viewer, (post) => (
      (tag === undefined || post.draft.tagList?.includes(tag) === true)
      && (author === undefined || post.author.username === author)
      && (favorited === undefined || [...post.favoredBy].some(({ username }) => username === favorited))
    ));
  }

  feed(page: Page, viewer: Account): Articles {
    const { follows } = viewer;
    return this.#page(page, viewer, ({ author }) => follows.has(author));
  }

  article(slug: string, viewer?: Account): ArticleBody {
    return { article: articleOf(this.#post(slug), viewer) };
  }

  publish(draft: Draft, author: Account): ArticleBody {
    const at = new Date().toISOString();
    const post: Post = { slug: this.#slugOf(draft.title), draft, author, createdAt: at, updatedAt: at, favoredBy: new Set(), comments: [] };
    this.#posts.unshift(post);
    return { article: articleOf(post, author) };
  }

  editArticle(slug: string, changes: ChangesOf<Draft>, author: Account): ArticleBody {
    const post = this.#ownPost(slug, author);
    if (changes.title !== undefined && changes.title !== post.draft.title) post.slug = this.#slugOf(changes.title);
    post.draft = { ...post.draft, ...given(changes) };
    post.updatedAt = new Date().toISOString();
    return { article: articleOf(post, author) };
  }

  removeArticle(slug: string, author: Account): void {
    this.#posts.splice(this.#posts.indexOf(this.#ownPost(slug, author)), 1);
  }

  favorite(slug: string, viewer: Account): ArticleBody {
    this.#post(slug).favoredBy.add(viewer);
    return this.article(slug, viewer);
  }

  unfavorite(slug: string, viewer: Account): ArticleBody {
    this.#post(slug).favoredBy.delete(viewer);
    return this.article(slug, viewer);
  }

  comments(slug: string, viewer?: Account): { readonly comments: readonly Comment[] } {
    return { comments: this.#post(slug).comments.map((remark) => commentOf(remark, viewer)) };
  }

  comment(slug: string, { body }: { readonly body: string }, author: Account): { readonly comment: Comment } {
    this.#remarks += 1;
    const remark = { id: this.#remarks, body, author, at: new Date().toISOString() };
    this.#post(slug).comments.push(remark);
    return { comment: commentOf(remark, remark.author) };
  }

  removeComment(slug: string, id: number, author: Account): void {
    const { comments } = this.#post(slug);
    const index = comments.findIndex((each) => each.id === id);
    if (index === -1) throw new StoreError('missing', 'there is no such comment');
    if (comments[index]?.author !== author) throw new StoreError('forbidden', 'only its author may delete a comment');
    comments.splice(index, 1);
  }

  tags(): { readonly tags: readonly string[] } {
    return { tags: [...new Set(this.#posts.flatMap(({ draft }) => draft.tagList ?? []))] };
  }

  #named(username: string): Account {
    const account = this.#accounts.find((each) => each.username === username);
    if (account === undefined) throw new StoreError('missing', 'there is no such user');
    return account;
  }

  #claim(wanted: UserChanges, owner?: Account): void {
    for (const name of ['username', 'email'] as const) {
      const isTaken = this.#accounts.some((each) => each !== owner && each[name] === wanted[name]);
      if (isTaken) throw new StoreError('taken', `${name} is taken`);
    }
  }

  #post(slug: string): Post {
    const post = this.#posts.find((each) => each.slug === slug);
    if (post === undefined) throw new StoreError('missing', 'there is no such article');
    return post;
  }

  #ownPost(slug: string, author: Account): Post {
    const post = this.#post(slug);
    if (post.author !== author) throw new StoreError('forbidden', 'only its author may change an article');
    return post;
  }

  #slugOf(title: string): string {
    const slug = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
    if (this.#posts.some((post) => post.slug === slug)) throw new StoreError('taken', 'title is taken');
    return slug;
  }

  #page({ limit, offset }: Page, viewer: Account | undefined, isWanted: (post: Post) => boolean): Articles {
    const posts = this.#posts.filter(isWanted);
    const articles = posts.slice(offset, offset + limit).map((post) => articleOf(post, viewer));
    return { articles, articlesCount: posts.length };
  }
}

function given<T extends object>(changes: T): object {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function profileOf(account: Account, viewer?: Account): Profile {
  return { ...account, following: viewer?.follows.has(account) === true };
}

function articleOf({ slug, draft, author, createdAt, updatedAt, favoredBy }: Post, viewer?: Account): Article {
  const favorited = viewer !== undefined && favoredBy.has(viewer);
  const tagList = draft.tagList ?? [];
  return { ...draft, tagList, slug, createdAt, updatedAt, favorited, favoritesCount: favoredBy.size, author: profileOf(author, viewer) };
}

function commentOf({ id, body, author, at }: Remark, viewer?: Account): Comment {
  return { id, createdAt: at, updatedAt: at, body, author: profileOf(author, viewer) };
}

/** The store of the three programs. */
export const store = new Store();
