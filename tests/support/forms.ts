/** The bytes of forms, as strings with one character for each byte. */

export const BOUNDARY = '----formBoundary7MA4YWxkTrZu0gW';
export const MULTIPART: readonly string[] = [`Content-Type: multipart/form-data; boundary=${BOUNDARY}`];
export const URL_ENCODED: readonly string[] = ['Content-Type: application/x-www-form-urlencoded'];

/** A part of a form: the lines of its head after the name, and its content. */
export function part(name: string, content: string, rest = ''): string {
  return rawPart(`Content-Disposition: form-data; name="${name}"${rest}`, content);
}

export function filePart(name: string, content: string, filename = 'a.png', type = 'image/png'): string {
  return part(name, content, `; filename="${filename}"\r\nContent-Type: ${type}`);
}

export function rawPart(head: string, content: string): string {
  return `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`;
}

export function multipart(...parts: readonly string[]): string {
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}
