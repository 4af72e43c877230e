/**
 * The client in a real browser: in a page with React and TanStack Query, which docs/react.md shows, and in a service worker. Pages of
 * other origins are in `browser.js`.
 *
 *   npm run build && npx tsc -p examples && npm --prefix tests/compat ci && node tests/compat/browser-client.js
 *
 * Exits with 0 if every check passed, with 1 if not, and with 77 if Chromium is missing and cannot be installed.
 */
import { withChromium } from './browser-chromium.js';
import { checkServiceWorker } from './browser-service-worker.js';
import { checkTanStack } from './browser-tanstack.js';
import { checking } from './checks.js';

await checking('the client in Chromium', (check) => withChromium(async (browser) => {
  await checkTanStack(check, browser);
  await checkServiceWorker(check, browser);
}));
