/** The client programs of the documents compile, run, and print the output that is shown. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from '../support/child.ts';
import { type Fence, readFences } from '../support/markdown.ts';
import { PAGES } from '../support/pages.ts';

/** The server of the programs that show none. The global `fetch` leads to it. */
const SERVER = `
import { ApiServer, defineEndpoint, integerId, reply } from 'restpoint';
import { events, form } from 'restpoint/formats';

const decodePet = (json: unknown): { name: string; legs?: number; born?: string } => json as never;
const decodeText = (json: unknown): { text: string } => json as never;
const pets = [{ name: 'Ant', legs: 6 }, { name: 'Rex', legs: 4 }];
const settings = { logger: { info: () => {}, error: console.error } };
const server = new ApiServer('/v1', settings);
const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: decodePet,
    create: (pet) => pets.push({ legs: 0, ...pet }),
    get: (id) => pets[id - 1],
    list: ({ query }) => (query.has('after') ? reply(200, pets.slice(1)) : reply(200, pets.slice(0, 1), { Link: '<?legs=4&after=1>; rel="next"' })),
  }),
  '/event': defineEndpoint({
    get: {
      output: { 200: events(decodeText), 204: null },
      run: ({ lastEventId }) => (lastEventId === '9' ? reply(204) : [{ id: '1', data: { text: 'one' }, retry: 0 }, { id: '9' }]),
    },
  }),
  '/report': defineEndpoint({
    id: integerId,
    create: { input: (json: unknown): { year: number } => json as never, run: () => reply(202, undefined, { Location: '/v1/report/1' }) },
    get: () => ({ total: 7 }),
  }),
});
export type Api = typeof api;

const upload = new ApiServer('/v1', settings);
const decodeForm = (fields: unknown): { name: string; likes: string[]; photo: File } => fields as never;
const uploads = upload.registerEndpoints({
  '/pet': defineEndpoint({ create: { input: form(decodeForm, { files: { photo: {} }, lists: ['likes'] }), run: ({ name, likes, photo }) => void console.log(name, likes, photo?.name) } }),
});
export type Uploads = typeof uploads;
export const fetchUploads = upload.fetch;
globalThis.fetch = (url, init) => server.fetch(url as string, init);
`;
const CONNECTED = `import './server.ts';
import { client } from 'restpoint/client';
import type { Api } from './server.ts';
`;
const API = `${CONNECTED}const api = client<Api>('https://api.example/v1');\n`;
const PETS = `${API}const pets = api('/pet');\n`;
const AS_API = "import './server.ts';\n";

/** A program without a name: its page, how it begins, what comes before it and after it, and what it prints. */
const SNIPPETS = [
  ['client.md', "const pets = client<Api>('https://api.example/v1')('/pet');", CONNECTED, '', 'Rex\n'],
  ['client.md', 'for await (const pet of pets.each(', PETS, '', 'Ant\nRex\n'],
  ['client.md', 'const { items, next, prev } = await pets.page(', PETS, 'console.log(items, next, prev, more?.items);',
    "[ { name: 'Ant', legs: 6 } ] { legs: '4', after: '1' } undefined [ { name: 'Rex', legs: 4 } ]\n"],
  ['client.md', "await api.one('/pet').create(new FormData(", `import { client, toFormData } from 'restpoint/client';
import { fetchUploads, type Uploads } from './server.ts';
const api = client<Uploads>('https://api.example/v1', { fetch: fetchUploads });
const document = { forms: [undefined] };
const input = { files: [new File(['x'], 'rex.png')] as const };
`, '', "undefined undefined undefined\nRex [ 'rain', 'snow' ] rex.png\n"],
  ['client.md', "import { client, wait } from 'restpoint/client';", API.replace("import { client } from 'restpoint/client';", ''), 'console.log(report);', '{ total: 7 }\n'],
  ['streaming.md', 'for await (const { id, data } of api.one(', `${API}const localStorage: { lastId?: string } = {};\n`, 'console.log(localStorage);',
    "one\n{ lastId: '1' }\n"],
  ['README.md', "import { client } from 'restpoint/client';", AS_API, '', '3 Bee\n'],
] as const;
/** The programs that have names. Tests run by `tests/compat/recipes.from-22.peer.js`, and programs with commands there or by the guide's test. */
const NAMED = [
  'client.md page.ts', 'client.md pets.test.ts', 'client.md streams.ts',
  'testing.md cancellations.test.ts', 'guide.md client.ts', 'guide.md api.test.ts',
  // `tests/compat/monorepo.tool.js` and `browser-tanstack.js`.
  'client.md web/src/pets.ts', 'react.md page.tsx',
];
/** Only types. */
const COMPILED = "testing.md import type { Breaking } from 'restpoint/client';";

// Inside the package, so that `restpoint` resolves to the package itself.
const folder = join(process.cwd(), 'build', 'client-docs');
const documents = ['README.md', ...PAGES];
const texts = new Map(await Promise.all(documents.map(async (name) => [name, await readFile(name === 'README.md' ? name : join('docs', name), 'utf8')] as const)));
const programs = documents.flatMap((page) => readFences(texts.get(page)!).map((fence) => ({ page, ...fence })));
const isClient = ({ language, text }: Fence): boolean => {
  return /'restpoint\/client'|client<Api>/.test(text) || language === 'js' && /\b(?:of|await) (?:api|pets)[(.]/.test(text);
};
const nameIn = (text: string): string | undefined => /^\/\/ (\S+\.tsx?)\n/.exec(text)?.[1];
const findText = (page: string, begin: string): string => {
  const { text } = programs.find((program) => program.page === page && program.text.startsWith(begin)) ?? {};
  if (text === undefined) throw new Error(`${page} has no program that begins with ${begin}`);
  return text;
};

const files = new Map<string, string>([
  ['server.ts', SERVER], ['api.ts', "export type { Api } from './server.ts';\n"],
  ...['pets.ts', 'page.ts', 'pets.test.ts', 'streams.ts'].map((name) => [name, findText('client.md', `// ${name}\n`)] as const),
  ...SNIPPETS.map(([page, begin, before, after], index) => [`snippet-${index}.ts`, `${before}${findText(page, begin)}${after}\nexport {};\n`] as const),
  // The parts of a browser that the page uses.
  ['opened.ts', `
import { makeServer } from './pets.ts';
import { add } from './page.ts';
const { server } = makeServer();
let token = 'secret';
const FormData = class { get(): string { return 'Rex'; } };
Object.assign(globalThis, { FormData, sessionStorage: { getItem: () => token }, fetch: (url: string, init: RequestInit) => server.fetch(url, init) });
const output = { textContent: '' } as HTMLElement;
for (token of ['secret', 'wrong']) {
  await add({} as HTMLFormElement, output);
  console.log(output.textContent?.replace(/\\d{4}$/, '2020'));
}
await server.stop();
`],
]);

const docs = suite('the client programs of the documents');
docs('are all here, or run by the tests that are named here', () => {
  const expected = [...SNIPPETS.map(([page, begin]) => `${page} ${findText(page, begin).split('\n')[0]}`), ...NAMED, COMPILED];
  const found = programs.filter(isClient).map(({ page, text }) => `${page} ${nameIn(text) ?? text.split('\n')[0]}`);
  assert.equal(found.sort(), expected.sort());
});
docs('all compile: with the types of the DOM', async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const lib = ['es2023', 'es2024.string', 'dom', 'dom.iterable'];
  const compilerOptions = { rootDir: '.', outDir: 'out', lib, skipLibCheck: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../examples/tsconfig.json', compilerOptions, include: ['*.ts'] }));
  await Promise.all([...files].map(([name, code]) => writeFile(join(folder, name), code)));
  const compiler = new Child(['node_modules/typescript/bin/tsc', '-p', folder]);
  assert.is(await compiler.exit(), 0, compiler.output);
});
const [shownByTest, shownByStreams] = [...texts.get('client.md')!.matchAll(/prints\n\n```text\n(.*?)```/gs)].map(([, text]) => text);
for (const [name, printed] of [
  ['pets.test', shownByTest], ['streams', shownByStreams], ['opened', 'Rex, born in 2020\nThe token is not valid.\n'],
  ...SNIPPETS.map(([, , , , printed], index) => [`snippet-${index}`, printed] as const),
] as const) {
  docs(`${name} prints the shown output, and ends`, async () => {
    const child = new Child([join(folder, 'out', `${name}.js`)]);
    assert.is(await child.exit(), 0, child.output);
    assert.is(child.output, printed);
  });
}
docs.run();
