/** Requests to a zoo of the examples, as anyone and as a keeper. */
export abstract class ZooClient {
  abstract get url(): string;
  abstract get token(): string;

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Sends a request as anyone, with a JSON body if `json` is present. */
  request(method: string, path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    if (json === undefined) return fetch(this.url + path, { method, headers });
    const allHeaders = { 'Content-Type': 'application/json', ...headers };
    return fetch(this.url + path, { method, headers: allHeaders, body: JSON.stringify(json) });
  }

  /** Sends a request as a keeper. */
  keep(method: string, path: string, json?: unknown): Promise<Response> {
    return this.request(method, path, json, { Authorization: `Bearer ${this.token}` });
  }
}
