/** The fenced blocks of a document, and the commands in those that show a terminal. */

export interface Fence {
  readonly language: string;
  readonly text: string;
}

/** A command of a `console` block, with its output. */
export interface ShownCommand {
  readonly command: string;
  readonly printed: string;
}

export function readFences(markdown: string): Fence[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }));
}

export function readCommands(terminal: string): ShownCommand[] {
  return terminal.split(/^\$ /m).slice(1).map((step) => {
    const [command = '', ...printed] = step.split('\n');
    return { command, printed: printed.join('\n').trimEnd() };
  });
}
