/** The output of `curl` commands, as the documents show it. */

/** The address in the documents. */
export const SHOWN_ADDRESS = '127.0.0.1:8080';

/** Whether a string was printed as a document shows it. A line `…` stands for any headers; `^C` ends endless output. */
export function isShown(printed: string, shown: string): boolean {
  const parts = withoutInterrupt(shown).split(/^…$/m).map(escapeText);
  const ends = shown.endsWith('^C') ? '' : '$';
  return new RegExp(`^${parts.join('(?:[\\w-]+: [^\\n]*(?:\\n(?=[\\w-]+: ))?)*')}${ends}`).test(printed);
}

function withoutInterrupt(shown: string): string {
  return shown.replace(/\s*\^C$/, '');
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
