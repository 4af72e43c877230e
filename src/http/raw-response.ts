/** A whole response as text. For where there is no `ServerResponse` to write to. */
import { phraseOf } from '../errors/problem.ts';

/** A whole response as text, with `Connection: close`. In the headers, names and values alternate. */
export function rawResponse(status: number, headers: readonly string[], body: string): string {
  const lines = [`HTTP/1.1 ${status} ${phraseOf(status)}`, `Date: ${new Date().toUTCString()}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`;
}

/** The header lines that describe a body. Names and values alternate. */
export function contentHeaders(type: string, bytes: number): string[] {
  return ['Content-Type', type, 'Content-Length', String(bytes)];
}
