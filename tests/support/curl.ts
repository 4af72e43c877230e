/** Sends the requests of the `curl` commands in the documents, and prints the same output as curl. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';

/** The address in the documents. */
export const SHOWN_ADDRESS = '127.0.0.1:8080';

export interface CurlCommand {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The file whose bytes are the body. */
  readonly file: string | undefined;
  /** Whether the head is printed too (`-i`), and which part is if the body goes to a file (`-o`): the head (`-D -`), or nothing. */
  readonly prints: 'body' | 'head and body' | 'head' | 'nothing';
}

const WORD = /'([^']*)'|(\S+)/g;

/** Parses a command. Throws for an option that no document needs. */
export function parseCurl(command: string): CurlCommand {
  const [program, ...words] = [...command.matchAll(WORD)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const url = words.pop() ?? '';
  if (program !== 'curl' || !url.startsWith(`http://${SHOWN_ADDRESS}/`)) throw new Error(`no curl command: ${command}`);
  const headers: Record<string, string> = {};
  let method: string | undefined;
  let body: string | undefined;
  let file: string | undefined;
  let prints: CurlCommand['prints'] = 'body';
  const options: Readonly<Record<string, () => void>> = {
    '-X': () => (method = words.shift()),
    '-H': () => {
      const [name = '', value = ''] = (words.shift() ?? '').split(': ');
      headers[name] = value;
    },
    '--json': () => {
      body = words.shift();
      headers['Content-Type'] = 'application/json';
    },
    '--data-binary': () => {
      const data = words.shift();
      if (data?.startsWith('@') === true) file = data.slice(1);
      else body = data;
    },
    '-i': () => (prints = 'head and body'),
    '-D': () => {
      if (words.shift() === '-') prints = 'head';
    },
    '-o': () => {
      words.shift();
      if (prints !== 'head') prints = 'nothing';
    },
    '-N': () => {},
  };
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const option = options[word];
    if (option === undefined) throw new Error(`an option that this test does not know: ${word}`);
    option();
  }
  method ??= body === undefined && file === undefined ? 'GET' : 'POST';
  return { method, path: url.slice(`http://${SHOWN_ADDRESS}`.length), headers, body, file, prints };
}

/** Sends the command's request to `url`, as if run in `folder`. Returns curl's output; of an endless body, the part that satisfies `enough`. */
export async function runCurl(command: string, url: string, folder = '.', enough: (printed: string) => boolean = () => false): Promise<string> {
  const { method, path, headers, body, file, prints } = parseCurl(command);
  const sending = request(url + path, { method, headers, agent: false });
  sending.end(file === undefined ? body : await readFile(join(folder, file)));
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  let printed = prints.startsWith('head') ? headOf(response) : '';
  for await (const chunk of response) {
    if (prints.endsWith('body')) printed += chunk;
    if (enough(printed)) break;
  }
  return printed.trimEnd();
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...headers, '', ''].join('\n');
}

/** Whether a string was printed as a document shows it. A line `…` stands for any headers; `^C` ends endless output. */
export function isShown(printed: string, shown: string): boolean {
  const parts = withoutInterrupt(shown).split(/^…$/m).map(escapeText);
  const ends = shown.endsWith('^C') ? '' : '$';
  return new RegExp(`^${parts.join('(?:[\\w-]+: [^\\n]*(?:\\n(?=[\\w-]+: ))?)*')}${ends}`).test(printed);
}

/** Whether enough of a endless response was printed. */
export function isEnough(printed: string, shown: string): boolean {
  return shown.endsWith('^C') && printed.length >= withoutInterrupt(shown).length;
}

function withoutInterrupt(shown: string): string {
  return shown.replace(/\s*\^C$/, '');
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
