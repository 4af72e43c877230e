/**
 * The requests of the RealWorld API ("Conduit"), in order, each with assertions about its response: all those of the public collection, and
 * those that must fail.
 *
 *   { name, method, path, as?, body?, status, holds, signsIn?, isOwnText? }
 *
 * `as` is the user who asks, and `signsIn` the one whose token it gets. `holds` has assertions: a string, and a predicate of the body.
 * With `isOwnText` the message is the library's own, and not the program's.
 */
const isText = (value) => typeof value === 'string';
const isTextOrNull = (value) => value === null || isText(value);
const isTime = (value) => /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d+Z$/.test(value);
const isCount = (value) => Number.isInteger(value) && value >= 0;
const isBoolean = (value) => typeof value === 'boolean';
const isTexts = (value) => Array.isArray(value) && value.every(isText);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const USER = { email: isText, username: isText, bio: isTextOrNull, image: isTextOrNull, token: isText };
const PROFILE = { username: isText, bio: isTextOrNull, image: isTextOrNull, following: isBoolean };
const SUMMARY = {
  slug: isText, title: isText, description: isText, tagList: isTexts, createdAt: isTime, updatedAt: isTime, favorited: isBoolean,
  favoritesCount: isCount, author: isObject,
};
const ARTICLE = { ...SUMMARY, body: isText };
const COMMENT = { id: isCount, createdAt: isTime, updatedAt: isTime, body: isText, author: isObject };

const at = (body, path) => path.split('.').reduce((value, name) => value?.[name], body);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Assertions that an object has these properties, each as its predicate says, and no others: nothing more that is stored is sent. */
const shaped = (path, properties) => [
  [`${path} has no other properties`, (body) => same(Object.keys(at(body, path)).sort(), Object.keys(properties).sort())],
  ...Object.entries(properties).map(([name, holds]) => [`${path}.${name} is as it should be`, (body) => holds(at(body, path)[name])]),
];
const valued = (path, values) => Object.entries(values).map(([name, value]) => [
  `${path}.${name} is ${JSON.stringify(value)}`, (body) => same(at(body, `${path}.${name}`), value),
]);
const only = (name) => [`the body has ${name} alone`, (body) => same(Object.keys(body), [name])];

const user = (values) => [only('user'), ...shaped('user', USER), ...valued('user', values)];
const profile = (values) => [only('profile'), ...shaped('profile', PROFILE), ...valued('profile', values)];
const article = (values) => [
  only('article'), ...shaped('article', ARTICLE), ...shaped('article.author', PROFILE), ...valued('article', values),
];
const articles = (slugs, count = slugs.length) => [
  ['the body has articles and articlesCount', (body) => same(Object.keys(body).sort(), ['articles', 'articlesCount'])],
  [`articlesCount is ${count}`, ({ articlesCount }) => articlesCount === count],
  [`the articles are ${slugs.join(', ') || 'none'}`, (body) => same(body.articles.map(({ slug }) => slug), slugs)],
  ...slugs.flatMap((_, index) => [...shaped(`articles.${index}`, SUMMARY), ...shaped(`articles.${index}.author`, PROFILE)]),
];
const comment = (values) => [
  only('comment'), ...shaped('comment', COMMENT), ...shaped('comment.author', PROFILE), ...valued('comment', values),
];
const comments = (bodies) => [
  only('comments'),
  ['the comments are those', (body) => same(body.comments.map((each) => each.body), bodies)],
  ...bodies.flatMap((_, index) => [...shaped(`comments.${index}`, COMMENT), ...shaped(`comments.${index}.author`, PROFILE)]),
];
const rejected = (...messages) => [
  only('errors'),
  ['errors has body alone', ({ errors }) => same(Object.keys(errors), ['body'])],
  ['errors.body is a list of strings', ({ errors }) => isTexts(errors.body) && errors.body.length > 0],
  ...(messages.length === 0 ? [] : [[`errors.body is ${messages}`, ({ errors }) => same(errors.body, messages)]]),
];
/** Rejected in the library's own words. */
const rejectedBy = (status) => ({ status, isOwnText: true, holds: rejected() });
const missing = (what) => ({ status: 404, holds: rejected(`there is no such ${what}`) });

const row = (name, line, rest) => {
  const [method, path] = line.split(' ');
  return { name, method, path, ...rest };
};
const JAKE = { username: 'jake', email: 'jake@mail.example', password: 'password' };
const CELEB = { username: 'celeb jake', email: 'celeb@mail.example', password: 'password' };
const { password, ...JAKE_SHOWN } = JAKE;
const DRAGON = {
  title: 'How to train your dragon', description: 'Ever wonder how?', body: 'Very carefully.', tagList: ['training', 'dragons'],
};
const SLUG = 'how-to-train-your-dragon';
const CELEB_PATH = '/profiles/celeb%20jake';
const login = { user: { email: JAKE.email, password } };
const noWord = (path) => `${path.replace('.', ' ')} Invalid input: expected string, received undefined`;

const AUTHENTICATION = [
  row('register', 'POST /users', { body: { user: JAKE }, status: 201, holds: user({ ...JAKE_SHOWN, bio: null, image: null }) }),
  row('log in', 'POST /users/login', { body: login, status: 200, holds: user(JAKE_SHOWN) }),
  row('log in, and keep the token', 'POST /users/login', { body: login, status: 200, holds: user(JAKE_SHOWN), signsIn: 'jake' }),
  row('the current user', 'GET /user', { as: 'jake', status: 200, holds: user(JAKE_SHOWN) }),
  row('change a user', 'PUT /user', { as: 'jake', body: { user: { email: JAKE.email } }, status: 200, holds: user(JAKE_SHOWN) }),
  row('change more of a user', 'PUT /user', {
    as: 'jake', body: { user: { bio: 'A bio', image: 'https://image.example/jake.png' } }, status: 200,
    holds: user({ ...JAKE_SHOWN, bio: 'A bio', image: 'https://image.example/jake.png' }),
  }),
  row('a name that is taken', 'POST /users', {
    body: { user: { ...JAKE, email: 'new@mail.example' } }, status: 422, holds: rejected('username is taken'),
  }),
  row('an address that is taken', 'POST /users', {
    body: { user: { ...JAKE, username: 'new' } }, status: 422, holds: rejected('email is taken'),
  }),
  row('register without a password', 'POST /users', { body: { user: JAKE_SHOWN }, status: 422, holds: rejected(noWord('user.password')) }),
  row('register without anything', 'POST /users', {
    body: { user: {} }, status: 422, holds: rejected(...['username', 'email', 'password'].map((name) => noWord(`user.${name}`))),
  }),
  row('a body that is not JSON', 'POST /users', { text: '{"user":', ...rejectedBy(400) }),
  row('a wrong password', 'POST /users/login', {
    body: { user: { ...login.user, password: 'wrong' } }, status: 401, holds: rejected('email or password is invalid'),
  }),
  row('the current user of nobody', 'GET /user', rejectedBy(401)),
  row('the current user of a wrong token', 'GET /user', { token: 'wrong', ...rejectedBy(401) }),
];

const NO_ARTICLES = [
  row('all articles', 'GET /articles', { status: 200, holds: articles([]) }),
  row('articles by author', 'GET /articles?author=johnjacob', { status: 200, holds: articles([]) }),
  row('articles that a user favors', 'GET /articles?favorited=jake', { status: 200, holds: articles([]) }),
  row('articles by tag', 'GET /articles?tag=dragons', { status: 200, holds: articles([]) }),
  row('too few articles', 'GET /articles?limit=0', { status: 422, holds: rejected('limit Too small: expected number to be >=1') }),
];

const ARTICLES = [
  row('write an article', 'POST /articles', {
    as: 'jake', body: { article: DRAGON }, status: 201, holds: article({ ...DRAGON, slug: SLUG, favorited: false, favoritesCount: 0 }),
  }),
  row('the feed of who follows nobody', 'GET /articles/feed', { as: 'jake', status: 200, holds: articles([]) }),
  row('all articles', 'GET /articles', { status: 200, holds: articles([SLUG]) }),
  row('all articles, for a user', 'GET /articles', { as: 'jake', status: 200, holds: articles([SLUG]) }),
  row('articles by author', 'GET /articles?author=jake', { status: 200, holds: articles([SLUG]) }),
  row('articles by author, for a user', 'GET /articles?author=jake', { as: 'jake', status: 200, holds: articles([SLUG]) }),
  row('an article', `GET /articles/${SLUG}`, { status: 200, holds: article({ ...DRAGON, slug: SLUG }) }),
  row('articles by tag', 'GET /articles?tag=dragons', { status: 200, holds: articles([SLUG]) }),
  row('articles by tag, for a user', 'GET /articles?tag=dragons', { as: 'jake', status: 200, holds: articles([SLUG]) }),
  row('an article, for a user', `GET /articles/${SLUG}`, { as: 'jake', status: 200, holds: article({ ...DRAGON, slug: SLUG }) }),
  row('the articles after the first', 'GET /articles?limit=1&offset=1', { status: 200, holds: articles([], 1) }),
  row('change an article', `PUT /articles/${SLUG}`, {
    as: 'jake', body: { article: { body: 'With two hands' } }, status: 200,
    holds: article({ ...DRAGON, slug: SLUG, body: 'With two hands' }),
  }),
  row('favor an article', `POST /articles/${SLUG}/favorite`, {
    as: 'jake', status: 200, holds: article({ favorited: true, favoritesCount: 1 }),
  }),
  row('articles that a user favors', 'GET /articles?favorited=jake', {
    status: 200, holds: [...articles([SLUG]), ...valued('articles.0', { favorited: false, favoritesCount: 1 })],
  }),
  row('articles that a user favors, for a user', 'GET /articles?favorited=jake', {
    as: 'jake', status: 200, holds: [...articles([SLUG]), ...valued('articles.0', { favorited: true, favoritesCount: 1 })],
  }),
  row('favor it no more', `DELETE /articles/${SLUG}/favorite`, {
    as: 'jake', status: 200, holds: article({ favorited: false, favoritesCount: 0 }),
  }),
  row('comment on an article', `POST /articles/${SLUG}/comments`, {
    as: 'jake', body: { comment: { body: 'Thank you so much!' } }, status: 200, holds: comment({ id: 1, body: 'Thank you so much!' }),
  }),
  row('the comments, for a user', `GET /articles/${SLUG}/comments`, { as: 'jake', status: 200, holds: comments(['Thank you so much!']) }),
  row('the comments', `GET /articles/${SLUG}/comments`, { status: 200, holds: comments(['Thank you so much!']) }),
  row('tags', 'GET /tags', { status: 200, holds: [only('tags'), ['the tags are those', ({ tags }) => same(tags, DRAGON.tagList)]] }),
];

const REJECTED = [
  row('write an article as nobody', 'POST /articles', { body: { article: DRAGON }, ...rejectedBy(401) }),
  row('write nothing as nobody', 'POST /articles', { body: {}, ...rejectedBy(401) }),
  row('all articles, for a wrong token', 'GET /articles', { token: 'wrong', ...rejectedBy(401) }),
  row('write an article without a title', 'POST /articles', {
    as: 'jake', body: { article: { ...DRAGON, title: undefined } }, status: 422, holds: rejected(noWord('article.title')),
  }),
  row('a title that is taken', 'POST /articles', { as: 'jake', body: { article: DRAGON }, status: 422, holds: rejected('title is taken') }),
  row('an article that is not there', 'GET /articles/none', missing('article')),
  row('comments of an article that is not there', 'GET /articles/none/comments', missing('article')),
  row('a comment that is empty', `POST /articles/${SLUG}/comments`, {
    as: 'jake', body: { comment: { body: '' } }, status: 422,
    holds: rejected('comment body Too small: expected string to have >=1 characters'),
  }),
  row('delete a comment that is not there', `DELETE /articles/${SLUG}/comments/9`, { as: 'jake', ...missing('comment') }),
  row('a path that is not there', 'GET /none', rejectedBy(404)),
];

const PROFILES = [
  row('register another', 'POST /users', {
    body: { user: CELEB }, status: 201, holds: user({ username: CELEB.username }), signsIn: 'celeb',
  }),
  row('a profile', `GET ${CELEB_PATH}`, { as: 'jake', status: 200, holds: profile({ username: CELEB.username, following: false }) }),
  // The public collection sends a body here.
  row('follow', `POST ${CELEB_PATH}/follow`, {
    as: 'jake', body: { user: { email: JAKE.email } }, status: 200, holds: profile({ username: CELEB.username, following: true }),
  }),
  row('the profile of who is followed', `GET ${CELEB_PATH}`, { as: 'jake', status: 200, holds: profile({ following: true }) }),
  row('the profile, for nobody', `GET ${CELEB_PATH}`, { status: 200, holds: profile({ following: false }) }),
  row('the other writes', 'POST /articles', {
    as: 'celeb', body: { article: { ...DRAGON, title: 'Dragons?' } }, status: 201, holds: article({ slug: 'dragons' }),
  }),
  row('the feed', 'GET /articles/feed', {
    as: 'jake', status: 200,
    holds: [...articles(['dragons']), ...valued('articles.0.author', { username: CELEB.username, following: true })],
  }),
  row('the newest of all', 'GET /articles?limit=1', { status: 200, holds: articles(['dragons'], 2) }),
  row('follow no more', `DELETE ${CELEB_PATH}/follow`, {
    as: 'jake', status: 200, holds: profile({ username: CELEB.username, following: false }),
  }),
  row('follow as nobody', `POST ${CELEB_PATH}/follow`, rejectedBy(401)),
  row('follow who is not there', 'POST /profiles/none/follow', { as: 'jake', ...missing('user') }),
  row('a profile that is not there', 'GET /profiles/none', missing('user')),
  row("change another's article", `PUT /articles/${SLUG}`, {
    as: 'celeb', body: { article: { body: 'Mine' } }, status: 403, holds: rejected('only its author may change an article'),
  }),
  row("delete another's article", `DELETE /articles/${SLUG}`, {
    as: 'celeb', status: 403, holds: rejected('only its author may change an article'),
  }),
  row("delete another's comment", `DELETE /articles/${SLUG}/comments/1`, {
    as: 'celeb', status: 403, holds: rejected('only its author may delete a comment'),
  }),
];

const REMOVALS = [
  row('delete a comment', `DELETE /articles/${SLUG}/comments/1`, { as: 'jake', status: 204, holds: [] }),
  row('it is gone', `GET /articles/${SLUG}/comments`, { status: 200, holds: comments([]) }),
  row('delete an article', `DELETE /articles/${SLUG}`, { as: 'jake', status: 204, holds: [] }),
  row('it is gone too', `GET /articles/${SLUG}`, missing('article')),
];

export const REQUESTS = [...AUTHENTICATION, ...NO_ARTICLES, ...ARTICLES, ...REJECTED, ...PROFILES, ...REMOVALS];
