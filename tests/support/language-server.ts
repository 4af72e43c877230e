/** The compiler's language server, as editors ask it over the Language Server Protocol: JSON-RPC messages with a `Content-Length`. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { COMPILER } from './compiled-cases.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly items?: readonly unknown[] };
  readonly result?: unknown;
}

const HEAD = /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/i;

export class LanguageServer {
  readonly #process: ChildProcessWithoutNullStreams = spawn(process.execPath, [COMPILER, '--lsp', '--stdio']);
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #received = Buffer.alloc(0);

  static async start(): Promise<LanguageServer> {
    const server = new LanguageServer();
    server.#process.stdout.on('data', (chunk: Buffer) => server.#take(chunk));
    const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] }, completion: {} } };
    await server.#ask('initialize', { processId: process.pid, rootUri: null, capabilities });
    server.#send({ method: 'initialized', params: {} });
    return server;
  }

  /** The code that an editor shows for the text at a place in a file. */
  async hover(path: string, text: string, offset: number): Promise<string> {
    return (await this.describe(path, text, offset)).code;
  }

  /** The code and the docstring that an editor shows for the text at a place in a file. */
  async describe(path: string, text: string, offset: number): Promise<{ readonly code: string; readonly doc: string }> {
    const shown = await this.#at('textDocument/hover', path, text, offset) as { readonly contents: { readonly value: string } } | null;
    const [, code, doc = ''] = /^```\w+\n([^]*?)\n```\n?([^]*)/.exec(shown?.contents.value ?? '') ?? [];
    if (code === undefined) throw new Error(`no code is shown at ${text.slice(offset, offset + 20)}: ${JSON.stringify(shown)}`);
    return { code, doc };
  }

  /** The names that an editor suggests at a place in a file. */
  async complete(path: string, text: string, offset: number): Promise<string[]> {
    const found = await this.#at('textDocument/completion', path, text, offset) as { readonly items: readonly { readonly label: string }[] } | null;
    return found?.items.map(({ label }) => label.replace(/\?$/, '')) ?? [];
  }

  async #at(method: string, path: string, text: string, offset: number): Promise<unknown> {
    const uri = pathToFileURL(path).href;
    this.#send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'typescript', version: 1, text } } });
    const lines = text.slice(0, offset).split('\n');
    const position = { line: lines.length - 1, character: lines.at(-1)?.length };
    const result = await this.#ask(method, { textDocument: { uri }, position });
    this.#send({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
    return result;
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill();
    await exited;
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = this.#waiting.size + 1;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #take(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const [head, length] = HEAD.exec(this.#received.toString('latin1')) ?? [];
      if (head === undefined || this.#received.length < head.length + Number(length)) return;
      const body = this.#received.subarray(head.length, head.length + Number(length));
      this.#received = this.#received.subarray(head.length + Number(length));
      this.#respond(JSON.parse(body.toString()) as Message);
    }
  }

  /** Takes a result, or responds to the server's own question: it has no settings. */
  #respond({ id, method, params, result }: Message): void {
    if (id === undefined) return;
    if (method === undefined) this.#waiting.get(id)?.(result);
    else this.#send({ id, result: params?.items?.map(() => null) ?? null });
  }
}
