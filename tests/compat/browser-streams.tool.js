/** Events and ranges in a real browser. */
import { withChromium } from './browser-chromium.js';
import { checkMedia } from './browser-media.js';
import { checking } from './checks.js';
import { checkEventSource } from './event-source.js';

await checking('Chromium', (check) => withChromium(async (browser) => {
  const withPage = async (url, use) => {
    const page = await browser.newPage();
    try {
      await page.goto(`${url}/page`);
      await use((call, ...values) => page.evaluate(call, ...values));
    } finally {
      await page.close();
    }
  };
  await checkEventSource(check, withPage);
  await checkMedia(check, browser);
}));
