/** The page of docs/react.md in a real browser, used as a person does. */
import assert from 'node:assert/strict';
import { withTab } from './browser-chromium.js';
import { startServer, withProject } from './tanstack-page.js';
import { waitUntil } from './until.js';

const PETS = 45;

/** The page in a tab: what it sends, and what it shows. A request can be held on its way. */
class Page {
  errors = [];
  /** `GET /v1/pet/7`, `PUT 412` for the response to a change, `GET /v1/pet/7 net::ERR_ABORTED`. */
  #sent = [];
  #tab;
  #holds = [];

  constructor(tab) {
    this.#tab = tab;
  }

  async watch() {
    const tab = this.#tab;
    await tab.setRequestInterception(true);
    tab.on('pageerror', (error) => this.errors.push(String(error)));
    const describe = (request) => `${request.method()} ${request.url().replace(/^.*?(?=\/v1|$)/, '')}`;
    tab.on('requestfailed', (request) => this.#sent.push(`${describe(request)} ${request.failure().errorText}`));
    tab.on('response', (response) => {
      const method = response.request().method();
      if (method !== 'GET') this.#sent.push(`${method} ${response.status()}`);
    });
    tab.on('request', (request) => {
      const what = describe(request);
      if (what.startsWith('GET /v1')) this.#sent.push(what);
      const at = this.#holds.findIndex(({ pattern }) => pattern.test(what));
      if (at < 0) return request.continue();
      this.#holds.splice(at, 1)[0].request = request;
    });
  }

  /** Waits until this is what has been sent since the last time. `pattern` leaves out the rest. */
  async hasSent(pattern, ...expected) {
    const find = () => this.#sent.filter((each) => pattern.test(each));
    await waitUntil(() => find().length >= expected.length, () => `${expected.join(', ')}: the page has sent ${find().join(', ')}`);
    assert.deepEqual(find(), expected);
    this.#sent = [];
  }

  /** Holds the next request like this. Returns a function that waits for it. */
  hold(pattern) {
    const hold = { pattern };
    this.#holds.push(hold);
    return async () => {
      await waitUntil(() => hold.request, () => `a request like ${pattern}`);
      return hold.request;
    };
  }

  /** Waits until the page shows this. `read` runs in the page. */
  async shows(expected, read, ...values) {
    let shown;
    const isShown = async () => {
      shown = await this.#tab.evaluate(read, ...values);
      return JSON.stringify(shown) === JSON.stringify(expected);
    };
    await waitUntil(isShown, () => `${JSON.stringify(expected)}: the page shows ${JSON.stringify(shown)}`);
  }

  showsRow(at, row) {
    return this.shows(row, (index) => document.querySelectorAll('li')[index]?.innerText.replace(/ *Feed *Edit *Delete$/, ''), at);
  }

  showsRows(count) {
    return this.shows(count, () => document.querySelectorAll('li').length);
  }

  /** The alert, or `undefined` for none. */
  showsAlert(text) {
    return this.shows([text].flatMap((each) => each ?? []), () => [...document.querySelectorAll('[role=alert]')].map((each) => each.innerText));
  }

  /** The value of each input, what others have stored there, and its message. `[]` for no form. */
  showsForm(...expected) {
    return this.shows(expected, () => [...document.querySelectorAll('label')].map((label) => {
      return [label.querySelector('input').value, label.querySelector('small').innerText, label.querySelector('em').innerText].join('|');
    }));
  }

  /** Clicks a button of the row at an index, or of the page. */
  async press(text, at) {
    await this.#tab.bringToFront();
    await this.#tab.evaluate((name, index) => {
      const within = index === undefined ? document : document.querySelectorAll('li')[index];
      [...within.querySelectorAll('button')].find((each) => each.innerText === name).click();
    }, text, at);
  }

  async type(name, value) {
    const input = await this.#tab.waitForSelector(`input[name=${name}]`);
    await input.evaluate((element) => (element.focus(), element.select()));
    await this.#tab.keyboard.press('Backspace');
    await input.type(value);
  }
}

async function checkPage(check, page, events, { server, host, url }) {
  const get = async (id) => (await fetch(`${url}/v1/pet/${id}`)).json();
  /** Another program, which changes a pet. */
  const put = async (id, change) => {
    const body = JSON.stringify({ ...await get(id), ...change });
    const { status } = await fetch(`${url}/v1/pet/${id}`, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body });
    assert.equal(status, 204);
  };

  await check('a list of three pages: each by one request, with the query that the server gave', async () => {
    await page.showsRows(20);
    await page.press('More');
    await page.showsRows(40);
    await page.press('More');
    await page.showsRows(PETS);
    await page.shows(['Add'], () => [...document.querySelectorAll('main > button')].map((each) => each.innerText));
    await page.hasSent(/pet/, 'GET /v1/pet', 'GET /v1/pet?after=20', 'GET /v1/pet?after=40');
    // Whose response makes the page read everything again.
    await (await events()).continue();
  });
  await check('a change of another program is shown', async () => {
    await put(1, { meals: 3 });
    await page.showsRow(0, 'Pet 1, 3 meals');
  });
  await check('a change is shown while its request is on its way, and made again if somebody else was faster', async () => {
    const held = page.hold(/^PUT/);
    await page.press('Feed', 0);
    const request = await held();
    await page.showsRow(0, 'Pet 1, 4 meals');
    assert.equal((await get(1)).meals, 3);
    await put(1, { meals: 6 });
    await request.continue();
    await page.showsRow(0, 'Pet 1, 7 meals');
    assert.equal((await get(1)).meals, 7);
    await page.hasSent(/^PUT/, 'PUT 412', 'PUT 204');
  });
  await check('a pet whose deletion is rejected comes back, with the reason', async () => {
    await put(2, { meals: 10 });
    await page.showsRow(1, 'Pet 2, 10 meals');
    const held = page.hold(/^DELETE/);
    await page.press('Delete', 1);
    const request = await held();
    await page.showsRow(1, 'Pet 3, 0 meals');
    await request.continue();
    await page.showsRow(1, 'Pet 2, 10 meals');
    await page.showsAlert('A pet that has eaten so much stays.');
  });
  await check('a pet whose deletion never reaches the server comes back, with the reason', async () => {
    const held = Array.from({ length: 4 }, () => page.hold(/^DELETE/));
    let refresh;
    await page.press('Delete', 2);
    for (const each of held) {
      const request = await each();
      refresh ??= page.hold(/^GET .*pet$/);
      await page.showsRow(2, 'Pet 4, 0 meals');
      await request.abort();
    }
    const request = await refresh();
    await page.showsRow(2, 'Pet 3, 0 meals');
    await page.showsAlert('Failed to fetch: /v1/pet/3');
    await request.continue();
    await page.hasSent(/^DELETE.*net/, ...Array(4).fill('DELETE /v1/pet/3 net::ERR_FAILED'));
  });
  await check('a pet that is deleted', async () => {
    await page.press('Delete', 2);
    await page.showsRow(2, 'Pet 4, 0 meals');
    await page.showsAlert(undefined);
    await page.showsRows(PETS - 1);
  });
  await check('a form that is closed while it loads: its request is aborted', async () => {
    const held = page.hold(/^GET .*\/4$/);
    await page.press('Edit', 2);
    await held();
    await page.press('Cancel');
    await page.hasSent(/\/4 net/, 'GET /v1/pet/4 net::ERR_ABORTED');
  });
  await check('a form keeps what others have changed beside it', async () => {
    await page.press('Edit', 0);
    await page.showsForm('Pet 1||', 'rain||');
    await put(1, { likes: 'snow' });
    await page.type('name', 'Asp');
    await page.press('Save');
    await page.showsRow(0, 'Asp, 7 meals');
    await page.showsForm();
    assert.equal((await get(1)).likes, 'snow');
    await page.hasSent(/^PUT/, 'PUT 204');
  });
  await check('a form whose property others have changed too: nothing is sent until the user has seen it', async () => {
    await page.press('Edit', 0);
    await page.showsForm('Asp||', 'snow||');
    await put(1, { name: 'Bo' });
    await page.showsRow(0, 'Bo, 7 meals');
    await page.type('name', 'Cat');
    await page.press('Save');
    await page.showsAlert('Others have changed name.');
    await page.showsForm('Cat|Bo|', 'snow||');
    await page.press('Save');
    await page.showsRow(0, 'Cat, 7 meals');
    await page.showsForm();
    await page.hasSent(/^PUT/, 'PUT 204');
  });
  await check('a form that is rejected: the message is beside its input, and nothing is stored', async () => {
    await page.press('Edit', 0);
    await page.showsForm('Cat||', 'snow||');
    await page.type('name', '');
    await page.press('Save');
    await page.showsForm('|Cat|every pet has a name', 'snow||');
    await page.hasSent(/^PUT/, 'PUT 400');
    await page.type('name', 'Dan');
    await page.press('Save');
    await page.showsRow(0, 'Dan, 7 meals');
    await page.hasSent(/^PUT/, 'PUT 204');
  });
  await check('a new pet: its form opens, and it is at the end of the list', async () => {
    await page.press('Add');
    await page.showsForm('Rex||', '||');
    await page.showsRow(PETS - 1, 'Rex, 0 meals');
    await page.type('name', 'Eve');
    await page.press('Save');
    await page.showsRow(PETS - 1, 'Eve, 0 meals');
    await page.hasSent(/^P/, 'POST 201', 'PUT 204');
  });
  await check('a server that restarts: the events go on after the last one', async () => {
    const next = page.hold(/change/);
    await server.stop();
    assert.ok((await server.start(host)).ok);
    await put(1, { meals: 8 });
    const request = await next();
    assert.match(request.headers()['last-event-id'], /^\d+$/);
    await request.continue();
    await page.showsRow(0, 'Dan, 8 meals');
  });
  await check('the page has thrown nothing', () => assert.deepEqual(page.errors, []));
}

export async function checkTanStack(check, browser) {
  await withProject(async (folder) => {
    const { server, host, url } = await startServer(folder);
    try {
      for (let id = 1; id <= PETS; id += 1) {
        const body = JSON.stringify({ name: `Pet ${id}`, likes: 'rain' });
        assert.equal((await fetch(`${url}/v1/pet`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })).status, 201);
      }
      let page;
      let events;
      const prepare = async (tab) => {
        page = new Page(tab);
        events = page.hold(/change/);
        await page.watch();
      };
      await withTab(browser, url, () => checkPage(check, page, events, { server, host, url }), prepare);
    } finally {
      await server.stop();
    }
  });
}
