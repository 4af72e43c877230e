/** Short helpers for bytes on the wire. */

/** The status of every response in a string that a server sent, in order. */
export function readStatuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** The bytes of a request without a body. */
export function requestFor(method: string, target: string): string {
  return `${method} ${target} HTTP/1.1\r\nHost: zoo.example\r\n\r\n`;
}
