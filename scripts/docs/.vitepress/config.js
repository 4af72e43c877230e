/** The site of the documents. Its search needs no other host. */
import { defineConfig } from 'vitepress';

// As GitHub makes them, which the links of the documents follow.
const slugify = (heading) => heading.toLowerCase().replaceAll(/[^\w -]/g, '').replaceAll(' ', '-');
const page = (text, link) => ({ text, link: `/docs/${link}` });

const sidebar = [
  {
    text: 'Start',
    items: [
      { text: 'README', link: '/' }, page('Guide: resources', 'guide'), page('Guide: operations', 'guide-operations'),
      page('Guide: authentication', 'guide-authentication'),
      page('Guide: errors and responses', 'guide-errors'), page('Guide: the whole server', 'guide-server'),
    ],
  },
  {
    text: 'Recipes',
    items: [
      page('All recipes', 'recipes'), page('Browsers and clients', 'recipes-clients'), page('Tokens and tenants', 'recipes-access'),
      page('Lists and changes', 'recipes-changes'), page('Interceptors', 'recipes-interceptors'), page('Files', 'recipes-files'),
      page('Bodies and streams', 'recipes-bodies'), page('Other programs', 'recipes-integrations'),
      page('Frameworks and platforms', 'recipes-platforms'), page('Probes and tests', 'recipes-probes'),
    ],
  },
  {
    text: 'How to',
    items: [
      page('Testing', 'testing'), page('Checks', 'checks'), page('CORS', 'cors'), page('MCP', 'mcp'), page('Mounting', 'mounting'), page('Logging and tracing', 'logging'),
      page('Deployment', 'deployment'), page('OpenAPI', 'openapi'), page('Generated clients', 'openapi-clients'), page('Migration', 'migration'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Reference', 'reference'), page('Every option', 'options'), page('Messages', 'messages'), page('Client', 'client'), page('Types', 'types'), page('HTTP conformance', 'http'),
      page('Works with', 'works-with'),
    ],
  },
  {
    text: 'Explanation',
    items: [
      page('How it works', 'how-it-works'), page('Comparison', 'comparison'), page('Reliability', 'reliability'), { text: 'Security', link: '/SECURITY' },
      { text: 'Stability', link: '/STABILITY' }, { text: 'Changes', link: '/CHANGELOG' },
    ],
  },
];

export default defineConfig({
  title: 'restpoint',
  description: 'A typed REST endpoint server on node:http.',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: 'pages',
  outDir: 'site',
  cacheDir: 'cache',
  base: process.env.DOCS_BASE ?? '/',
  // A page names its own server.
  ignoreDeadLinks: 'localhostLinks',
  markdown: { anchor: { slugify } },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
