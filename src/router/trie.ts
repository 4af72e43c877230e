/**
 * A trie of literals. A template is split at its parameters. The literals before the first parameter form one trie. A node before a
 * parameter has a trie of its own, for the literals after that parameter.
 *
 *   "/v1/pe"
 *     t  "/v1/pet"             /v1/pet
 *       /  "/v1/pet/"
 *         :  ""                /v1/pet/:id
 *           /  "/feed"         /v1/pet/:id/feed
 *     n  "/v1/pen"             /v1/pen
 *
 * A search compares only the character at which a node branches. The whole literal is compared once, where the path ends or a parameter
 * begins: comparing two strings is faster than comparing their characters one by one.
 */
import { findSegmentEnd } from './pattern.ts';

const NO_CHILDREN: readonly never[] = [];

/** A node and everything below it. */
export class Trie<T extends NonNullable<unknown>> {
  /** The value of the template that ends here. */
  value: T | undefined = undefined;
  /** The trie after a parameter. `undefined` if no template has a parameter here. */
  afterParameter: Trie<T> | undefined = undefined;
  /** The value of a template that has a wildcard in place of the parameter before this trie. Only the root of a trie has one. */
  wildcard: T | undefined = undefined;
  // All characters from the beginning of the path, or from the end of the last parameter.
  #literal: string;
  // The first character that the parent's literal does not have.
  #branch = 0;
  #children: readonly Trie<T>[] = NO_CHILDREN;

  constructor(literal: string) {
    this.#literal = copyString(literal);
  }

  /** Returns the node of a literal. Adds it if it is missing. */
  add(literal: string): Trie<T> {
    let common = 0;
    while (common < this.#literal.length && this.#literal[common] === literal[common]) common += 1;
    if (common < this.#literal.length) this.#split(common);
    if (common === literal.length) return this;
    return (this.#childAt(literal.charCodeAt(common)) ?? this.#addChild(new Trie<T>(literal))).add(literal);
  }

  /**
   * Finds the value of a path. The part before `from` has been matched already. No node is visited twice, so the time is bounded by the
   * number of nodes, however often a literal leads nowhere.
   */
  find(path: string, from: number): T | undefined {
    let node: Trie<T> = this;
    let start = from;
    for (;;) {
      const literal = node.#literal;
      const at = start + literal.length;
      // Most paths end with a parameter: no literal follows it.
      if (at >= path.length) return literal === '' || path.slice(start) === literal ? node.value : undefined;
      const child = node.#childAt(path.charCodeAt(at));
      const { afterParameter } = node;
      if (afterParameter === undefined) {
        if (child === undefined) return undefined;
        node = child;
        continue;
      }
      const value = child?.find(path, start);
      if (value !== undefined) return value;
      if (path.slice(start, at) !== literal) return undefined;
      const end = findSegmentEnd(path, at);
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
    child.#branch = child.#literal.charCodeAt(this.#literal.length);
    // Not `push`: that allocates room for more children, which few nodes need.
    this.#children = this.#children.concat(child);
    return child;
  }

  /** Keeps the beginning of the literal. The rest becomes a child, which gets the value and the children. */
  #split(length: number): void {
    const child = new Trie<T>(this.#literal);
    child.value = this.value;
    child.afterParameter = this.afterParameter;
    child.#children = this.#children;
    this.value = undefined;
    this.afterParameter = undefined;
    this.#literal = copyString(this.#literal.slice(0, length));
    this.#children = NO_CHILDREN;
    this.#addChild(child);
  }
}

/** Copies a string. V8 keeps a long substring as a view of the whole string, and compares views slowly. */
function copyString(literal: string): string {
  return [...literal].join('');
}
