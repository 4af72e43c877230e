/** Swagger UI in a tab, used as a person does: by clicks and by typing. It counts the requests to other hosts, and does not send them. */
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from './until.js';

const FOUND = { timeout: PATIENCE_MS };

export class SwaggerUi {
  /** The URLs of other hosts that it wanted. */
  outside = [];
  /** How many requests were sent to the page's own server. */
  own = 0;
  #tab;

  /** Opens a page in a new tab. */
  static async open(browser, url) {
    const page = new SwaggerUi();
    const tab = (page.#tab = await browser.newPage());
    await tab.evaluateOnNewDocument(() => {
      globalThis.violations = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => violations.push(`${effectiveDirective} ${blockedURI}`));
    });
    await tab.setRequestInterception(true);
    tab.on('request', (request) => page.#pass(request, new URL(url).host));
    await tab.goto(url);
    return page;
  }

  close() {
    return this.#tab.close();
  }

  /** Runs a function in the page. */
  evaluate(run, ...args) {
    return this.#tab.evaluate(run, ...args);
  }

  /** The loads that the page's policy rejected, as `img-src https://other.example/`. */
  violations() {
    return this.#tab.evaluate(() => globalThis.violations);
  }

  /** The operations that are shown, as `POST /v1/pet`. */
  async operations() {
    await this.#tab.waitForSelector('.opblock', FOUND);
    const complaints = await this.#tab.$$eval('.errors-wrapper', (all) => all.map(({ innerText }) => innerText));
    if (complaints.length > 0) throw new Error(`the page complains: ${complaints.join('\n')}`);
    return this.#tab.$$eval('.opblock-summary', (all) => all.map((each) => {
      const text = (part) => each.querySelector(part).textContent.replaceAll('\u200b', '');
      return `${text('.opblock-summary-method')} ${text('.opblock-summary-path')}`;
    }));
  }

  /** Enters the token under "Authorize". */
  async authorize(token) {
    await this.#click('.btn.authorize');
    await this.#type('.auth-container input', token);
    await this.#click('.auth-container button[type=submit]');
    await this.#click('.auth-container .btn-done');
  }

  /** Opens an operation, and presses "Try it out". */
  async tryOut(operationId) {
    const block = blockOf(operationId);
    await this.#click(`${block} .opblock-summary-control`);
    await this.#click(`${block} .try-out__btn`);
  }

  /** The body that is proposed. */
  async body(operationId) {
    const field = await this.#tab.waitForSelector(bodyOf(operationId), FOUND);
    return field.evaluate(({ value }) => value);
  }

  /** Enters parameters and a body, which is a string or the URL of a file, presses "Execute", and returns the response that is shown. */
  async execute(operationId, parameters, body) {
    const block = blockOf(operationId);
    if (await this.#tab.$(`${block} .btn-clear`)) await this.#click(`${block} .btn-clear`);
    for (const [name, value] of Object.entries(parameters)) await this.#type(`${block} tr[data-param-name="${name}"] input`, value);
    if (body instanceof URL) await this.#choose(`${block} input[type=file]`, fileURLToPath(body));
    else if (body !== undefined) await this.#type(bodyOf(operationId), body);
    await this.#click(`${block} .execute`);
    const response = `${block} .live-responses-table .response`;
    await this.#tab.waitForSelector(`${response} .response-col_status`, FOUND);
    return this.#tab.$eval(response, (row) => ({
      status: row.querySelector('.response-col_status').innerText.trim().split('\n')[0],
      body: row.querySelector('.highlight-code code')?.innerText,
      text: row.innerText,
    }));
  }

  /** The picture in the response that is shown: the scheme of its URL, and its width. */
  async picture(operationId) {
    const image = await this.#tab.waitForSelector(`${blockOf(operationId)} .live-responses-table img`, FOUND);
    await image.evaluate((element) => element.decode());
    return image.evaluate(({ src, naturalWidth }) => ({ scheme: new URL(src).protocol, width: naturalWidth }));
  }

  #pass(request, host) {
    const { protocol, host: asked } = new URL(request.url());
    const isLocal = protocol === 'data:' || protocol === 'blob:';
    if (!isLocal && asked !== host) {
      this.outside.push(request.url());
      return request.abort();
    }
    if (!isLocal) this.own += 1;
    return request.continue();
  }

  async #click(selector) {
    await (await this.#tab.waitForSelector(selector, { ...FOUND, visible: true })).click();
  }

  /** Replaces the text of a field. */
  async #type(selector, text) {
    const field = await this.#tab.waitForSelector(selector, { ...FOUND, visible: true });
    await field.evaluate((element) => (element.focus(), element.select()));
    await field.type(text);
  }

  async #choose(selector, file) {
    await (await this.#tab.waitForSelector(selector, FOUND)).uploadFile(file);
  }
}

function blockOf(operationId) {
  return `.opblock[id$="-${operationId}"]`;
}

function bodyOf(operationId) {
  return `${blockOf(operationId)} .opblock-section-request-body textarea`;
}
