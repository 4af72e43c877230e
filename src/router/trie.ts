/**
 * The routes of one method: a trie with one level for each path segment. A node stands for a path of literals. It can have two
 * values: one for exactly that path, and one for that path followed by a parameter.
 */
import { Nodes, NONE, ROOT } from './nodes.ts';
import type { Pattern } from './pattern.ts';
import { Segment } from './segment.ts';

/** A successful look-up. */
export interface Match<T> {
  readonly value: T;
  /** The raw segment that the parameter matched. `''` without a parameter. */
  readonly parameter: string;
}

export class Trie<T extends NonNullable<unknown>> {
  readonly #nodes = new Nodes();
  readonly #segment = new Segment();
  // Indexed by the number of the node, which is faster than nodes with references to their values.
  readonly #exact: (T | undefined)[] = [undefined];
  readonly #parameter: (T | undefined)[] = [undefined];
  readonly #parameterNames: (string | undefined)[] = [undefined];
  // The literals that all routes begin with, except the last segment of each. A match compares them as one text.
  #shared: readonly string[] | undefined;
  #prefix = '/';
  #prefixNode = ROOT;
  #parameterStart = 0;

  /** Stores a value. The pattern must be free. */
  insert({ literals, parameter }: Pattern, value: T): void {
    let node = ROOT;
    for (const literal of literals) node = this.#childFor(node, literal);
    if (parameter === undefined) this.#exact[node] = value;
    else {
      this.#parameter[node] = value;
      this.#parameterNames[node] = parameter;
    }
    this.#share(parameter === undefined ? literals.slice(0, -1) : literals);
  }

  /** The text of the stored pattern that matches the same paths as this one. `undefined` if there is none. */
  conflictOf({ literals, parameter }: Pattern): string | undefined {
    const node = this.#find(literals);
    if (node === undefined) return undefined;
    const taken = parameter === undefined ? this.#exact[node] : this.#parameter[node];
    if (taken === undefined) return undefined;
    return `/${(parameter === undefined ? literals : [...literals, `:${this.#parameterNames[node]}`]).join('/')}`;
  }

  /** Looks up a path. A miss allocates nothing. */
  match(path: string): Match<T> | undefined {
    const node = this.#locate(path);
    if (node === undefined) return undefined;
    const start = this.#parameterStart;
    if (start === 0) return { value: this.#exact[node] as T, parameter: '' };
    return { value: this.#parameter[node] as T, parameter: path.slice(start) };
  }

  /** Whether a path matches. Allocates nothing. */
  has(path: string): boolean {
    return this.#locate(path) !== undefined;
  }

  /** The node with the value of a path. Sets `#parameterStart`: where the parameter begins, or 0 without one. */
  #locate(path: string): number | undefined {
    if (!this.#hasPrefix(path)) return undefined;
    if (path.length === 1) return this.#locateExact(ROOT);
    const nodes = this.#nodes;
    const segment = this.#segment;
    let node = this.#prefixNode;
    let start = this.#prefix.length;
    while (nodes.hasChildren(node)) {
      segment.read(path, start);
      const child = nodes.find(node, segment);
      if (!segment.isFollowed) {
        return (child === NONE ? undefined : this.#locateExact(child)) ?? this.#locateParameter(node, path, start);
      }
      if (child === NONE) return undefined;
      node = child;
      start += segment.length + 1;
    }
    return this.#locateParameter(node, path, start);
  }

  // A loop is faster here than `startsWith`.
  #hasPrefix(path: string): boolean {
    const prefix = this.#prefix;
    if (path.length < prefix.length) return false;
    for (let at = 0; at < prefix.length; at += 1) {
      if (path.charCodeAt(at) !== prefix.charCodeAt(at)) return false;
    }
    return true;
  }

  #locateExact(node: number): number | undefined {
    this.#parameterStart = 0;
    return this.#exact[node] === undefined ? undefined : node;
  }

  #locateParameter(node: number, path: string, start: number): number | undefined {
    if (this.#parameter[node] === undefined || start === path.length || path.indexOf('/', start) !== -1) return undefined;
    this.#parameterStart = start;
    return node;
  }

  #find(literals: readonly string[]): number | undefined {
    let node = ROOT;
    for (const literal of literals) {
      this.#segment.read(literal, 0);
      node = this.#nodes.find(node, this.#segment);
      if (node === NONE) return undefined;
    }
    return node;
  }

  #childFor(parent: number, literal: string): number {
    this.#segment.makeRoom(literal.length);
    this.#segment.read(literal, 0);
    const existing = this.#nodes.find(parent, this.#segment);
    if (existing !== NONE) return existing;
    const child = this.#nodes.add(parent, this.#segment);
    // Fills the gaps, since an array with holes is slower.
    for (const values of [this.#exact, this.#parameter, this.#parameterNames]) {
      while (values.length <= child) values.push(undefined);
    }
    return child;
  }

  #share(literals: readonly string[]): void {
    const shared = this.#shared ?? literals;
    const end = shared.findIndex((literal, at) => literal !== literals[at]);
    this.#shared = end === -1 ? shared : shared.slice(0, end);
    this.#prefix = ['', ...this.#shared, ''].join('/');
    this.#prefixNode = this.#find(this.#shared) ?? ROOT;
  }
}
