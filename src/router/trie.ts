/**
 * A trie of the texts that can stand at one place of a path. A template is cut at its parameters: the texts before the first are one trie,
 * and each node from which a parameter leads on has the trie of the texts after it.
 *
 *   "/v1/pe"
 *     t  "/v1/pet"             /v1/pet
 *       /  "/v1/pet/"
 *         :  ""                /v1/pet/:id
 *           /  "/feed"         /v1/pet/:id/feed
 *     n  "/v1/pen"             /v1/pen
 *
 * A look-up goes down by one character of the path at each branch, past those in between. It compares the whole text once, where the path
 * ends or a parameter begins, since to compare two strings is faster than to compare their characters one by one.
 */
import { segmentEnd } from './pattern.ts';

const NO_CHILDREN: readonly never[] = [];

/** A node, and with it everything below. */
export class Trie<T extends NonNullable<unknown>> {
  /** The value of the template that ends here. */
  value: T | undefined = undefined;
  /** The node behind a parameter, if one can be the next segment. */
  afterParameter: Trie<T> | undefined = undefined;
  /** The value of a template with a wildcard in place of the parameter before this trie. Only the root of a trie has one. */
  wildcard: T | undefined = undefined;
  // From the beginning of the path, or from the end of the last parameter.
  #text: string;
  // The first character of the text that the parent does not have.
  #branch = 0;
  #children: readonly Trie<T>[] = NO_CHILDREN;

  constructor(text: string) {
    this.#text = copyOf(text);
  }

  /** The node of a text. Adds it if it is missing. */
  add(text: string): Trie<T> {
    let common = 0;
    while (common < this.#text.length && this.#text[common] === text[common]) common += 1;
    if (common < this.#text.length) this.#split(common);
    if (common === text.length) return this;
    return (this.#childAt(text.charCodeAt(common)) ?? this.#addChild(new Trie<T>(text))).add(text);
  }

  /**
   * The value of a path, of which the part before `from` has been matched. No node is visited twice, so the time is bounded by the number
   * of nodes, however often a literal leads nowhere.
   */
  find(path: string, from: number): T | undefined {
    let node: Trie<T> = this;
    let start = from;
    for (;;) {
      const text = node.#text;
      const at = start + text.length;
      // Most paths end with a parameter. After it, there is no text to compare.
      if (at >= path.length) return text === '' || path.slice(start) === text ? node.value : undefined;
      const child = node.#childAt(path.charCodeAt(at));
      const { afterParameter } = node;
      if (afterParameter === undefined) {
        if (child === undefined) return undefined;
        node = child;
        continue;
      }
      const value = child?.find(path, start);
      if (value !== undefined) return value;
      if (path.slice(start, at) !== text) return undefined;
      const end = segmentEnd(path, at);
      const { wildcard } = afterParameter;
      if (wildcard !== undefined) return (end === at ? undefined : afterParameter.find(path, end)) ?? wildcard;
      if (end === at) return undefined;
      node = afterParameter;
      start = end;
    }
  }

  #childAt(character: number): Trie<T> | undefined {
    for (const child of this.#children) {
      if (child.#branch === character) return child;
    }
    return undefined;
  }

  #addChild(child: Trie<T>): Trie<T> {
    child.#branch = child.#text.charCodeAt(this.#text.length);
    // Unlike a push, this leaves no room for more, which few nodes need.
    this.#children = this.#children.concat(child);
    return child;
  }

  /** Keeps the beginning of the text. The rest becomes a child, which takes over everything below. */
  #split(length: number): void {
    const child = new Trie<T>(this.#text);
    child.value = this.value;
    child.afterParameter = this.afterParameter;
    child.#children = this.#children;
    this.value = undefined;
    this.afterParameter = undefined;
    this.#text = copyOf(this.#text.slice(0, length));
    this.#children = NO_CHILDREN;
    this.#addChild(child);
  }
}

/** A copy of a text. V8 keeps a long substring as a view of the whole string, and compares views slowly. */
function copyOf(text: string): string {
  return [...text].join('');
}
