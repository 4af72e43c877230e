/** The page of docs/react.md in a real browser, used as a person does. */
import assert from 'node:assert/strict';
import { PATIENCE_MS, waitUntil } from './until.js';
import { compileByEach, compileRenamed, withProject, serverOf } from './tanstack-page.js';

/** A page in a tab, and its failures. */
class Page {
  errors = [];
  /** The responses to changes, as `PUT 412`. */
  changes = [];
  #tab;

  static async open(browser, url) {
    const page = new Page();
    const tab = (page.#tab = await browser.newPage());
    tab.on('pageerror', (error) => page.errors.push(String(error)));
    tab.on('response', (response) => {
      const method = response.request().method();
      if (method !== 'GET') page.changes.push(`${method} ${response.status()}`);
    });
    await tab.goto(`${url}/page`);
    await tab.waitForSelector('ul', { timeout: PATIENCE_MS });
    return page;
  }

  close() {
    return this.#tab.close();
  }

  /** Waits until these are the items of the list. */
  async lists(...items) {
    let shown = [];
    const areShown = async () => {
      shown = await this.#tab.$$eval('li', (all) => all.map((each) => each.innerText.replace(/ *Feed *Edit$/, '')));
      return JSON.stringify(shown) === JSON.stringify(items);
    };
    await waitUntil(areShown, () => `${items.join('; ')}: the page lists ${shown.join('; ')}`);
  }

  /** Fills in the form, and sends it. */
  async submit(values) {
    await this.#tab.bringToFront();
    for (const [name, value] of Object.entries(values)) {
      const field = await this.#tab.$(`input[name=${name}]`);
      await field.evaluate((element) => (element.focus(), element.select()));
      await this.#tab.keyboard.press('Backspace');
      await field.type(value);
    }
    await this.#tab.click('form button');
  }

  /** Waits until these messages are beside the first inputs, by their names. */
  async explains(messages) {
    let shown;
    const areShown = async () => {
      shown = await this.#tab.$$eval('label', (all) => Object.fromEntries(all.slice(0, 2).map((label) => {
        return [label.querySelector('input').name, label.querySelector('em').innerText];
      })));
      return JSON.stringify(shown) === JSON.stringify(messages);
    };
    await waitUntil(areShown, () => `${JSON.stringify(messages)}: the page shows ${JSON.stringify(shown)}`);
  }

  /** Opens the form of the first pet. It stands before the form of a new pet. */
  async edit() {
    await this.press('Edit');
    await this.#tab.waitForSelector('ul + form', { timeout: PATIENCE_MS });
  }

  /** The values in the form of the pet. */
  form() {
    return this.#tab.$$eval('ul + form input', (all) => all.map(({ value }) => value));
  }

  /** Clicks the first button with a text. */
  async press(text) {
    await this.#tab.bringToFront();
    await this.#tab.$$eval('button', (all, name) => all.find((each) => each.innerText === name).click(), text);
  }

  /** Waits until this is the only alert. `undefined` for none, and no form of a pet. */
  async alerts(text) {
    let shown;
    const isShown = async () => {
      shown = await this.#tab.$$eval('[role=alert]', (all) => all.map((each) => each.innerText));
      const isClosed = await this.#tab.$('ul + form + form') === null;
      return text === undefined ? shown.length === 0 && isClosed : JSON.stringify(shown) === JSON.stringify([text]);
    };
    await waitUntil(isShown, () => `${text}: the page shows ${JSON.stringify(shown)}`);
  }

  /** Feeds the pet at a place of the list. `first` is called and awaited before its first change is sent. */
  async feed(place, first) {
    let isHeld = false;
    await this.#tab.bringToFront();
    await this.#tab.setRequestInterception(true);
    this.#tab.on('request', async (request) => {
      if (request.method() === 'PUT' && !isHeld) {
        isHeld = true;
        await first();
      }
      await request.continue();
    });
    await (await (await this.#tab.$$('li'))[place].$('button')).click();
  }
}

async function checkPage(check, browser, server) {
  const started = await server.start('127.0.0.1:0');
  const page = await Page.open(browser, started.url);
  const other = await Page.open(browser, started.url);
  const stored = async () => (await fetch(`${started.url}/v1/pet`)).json();
  const put = async (id, change) => {
    const url = `${started.url}/v1/pet/${id}`;
    const response = await fetch(url);
    const headers = { 'Content-Type': 'application/json', 'If-Match': response.headers.get('etag') };
    return (await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ ...await response.json(), ...change }) })).status;
  };
  try {
    await check('a form that is rejected: each message is beside its input, and nothing is stored', async () => {
      await page.submit({ name: '', legs: 'four' });
      await page.explains({ name: 'every pet has a name', legs: 'a whole number' });
      assert.deepEqual(await stored(), []);
    });
    await check('a form that is accepted: the pet is in the list of each open page, and the messages are gone', async () => {
      await page.submit({ name: 'Rex', legs: '4' });
      for (const each of [page, other]) await each.lists('Rex, 4 legs, 0 meals');
      await page.explains({ name: '', legs: '' });
      assert.deepEqual(page.changes, ['POST 400', 'POST 201']);
    });
    await check('a change of another program is shown', async () => {
      assert.equal(await put(1, { legs: 3 }), 204);
      for (const each of [page, other]) await each.lists('Rex, 3 legs, 0 meals');
    });
    await check('a race that is lost: the change is made again, to the item as it is then', async () => {
      await page.feed(0, async () => assert.equal(await put(1, { legs: 4, meals: 1 }), 204));
      for (const each of [page, other]) await each.lists('Rex, 4 legs, 2 meals');
      assert.deepEqual(page.changes.slice(2), ['PUT 412', 'PUT 204']);
    });
    await check('a form that somebody else was faster than: it shows what they changed, and both changes are kept', async () => {
      await page.edit();
      assert.equal(await put(1, { name: 'Asp' }), 204);
      await page.submit({ legs: '5' });
      await page.alerts('Somebody else has changed name to Asp. Save again?');
      assert.deepEqual(await page.form(), ['Asp', '5']);
      for (const each of [page, other]) await each.lists('Asp, 4 legs, 2 meals');
      await page.press('Save');
      await page.alerts(undefined);
      for (const each of [page, other]) await each.lists('Asp, 5 legs, 2 meals');
      assert.deepEqual(page.changes.slice(4), ['PUT 412', 'PUT 204']);
    });
    await check('a form whose field somebody else has changed too: it keeps what was typed, and overwrites nothing unseen', async () => {
      await page.edit();
      assert.equal(await put(1, { legs: 6 }), 204);
      await page.submit({ legs: '8' });
      await page.alerts('Somebody else has changed legs to 6. Save again?');
      assert.deepEqual(await page.form(), ['Asp', '8']);
      assert.equal(await put(1, { name: 'Rex', legs: 7 }), 204);
      await page.press('Save');
      await page.alerts('Somebody else has changed name to Rex and legs to 7. Save again?');
      await page.press('Cancel');
      await page.alerts(undefined);
      for (const each of [page, other]) await each.lists('Rex, 7 legs, 2 meals');
      assert.deepEqual(page.changes.slice(6), ['PUT 412', 'PUT 412']);
    });
    await check('a form with a value that is rejected after a 412: its message is beside its input, and the tag is still the newest', async () => {
      await page.edit();
      assert.equal(await put(1, { meals: 3 }), 204);
      await page.submit({ legs: 'x' });
      // The version is compared after the body.
      await page.explains({ name: '', legs: 'a whole number' });
      await page.submit({ legs: '4' });
      await page.alerts('Somebody else has changed something else. Save again?');
      await page.submit({ legs: 'y' });
      await page.explains({ name: '', legs: 'a whole number' });
      await page.submit({ legs: '4' });
      for (const each of [page, other]) await each.lists('Rex, 4 legs, 3 meals');
      assert.deepEqual(page.changes.slice(8), ['PUT 400', 'PUT 412', 'PUT 400', 'PUT 204']);
    });
    await check('a server that restarts: the page connects again, and shows the changes of the meantime', async () => {
      await server.stop();
      assert.ok((await server.start(new URL(started.url).host)).ok);
      assert.equal(await put(1, { meals: 7 }), 204);
      for (const each of [page, other]) await each.lists('Rex, 4 legs, 7 meals');
    });
    await check('the pages have thrown nothing', () => assert.deepEqual([page.errors, other.errors], [[], []]));
  } finally {
    await page.close();
    await other.close();
    await server.stop();
  }
}

export async function checkTanStack(check, browser) {
  await withProject(async (folder) => {
    for (const name of ['meals', 'legs']) {
      await check(`the page does not compile beside a server that has no ${name}`, async () => {
        const messages = await compileRenamed(folder, name, 'others');
        assert.ok(messages.length > 0 && messages.every((message) => /^(?:page\.tsx| )/.test(message)), messages.join('\n'));
      });
    }
    // The last compilation is of the files as they are: its output serves.
    for (const [compiler, messages] of Object.entries(await compileByEach(folder))) {
      await check(`${compiler} accepts the page and its server`, () => assert.deepEqual(messages, []));
    }
    await checkPage(check, browser, await serverOf(folder));
  });
}
