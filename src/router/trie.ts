/**
 * The routes of one method: a trie with one level for each path segment. A node stands for a path of literals. It can
 * have a value for that path, and one for the paths of one more segment, whatever that is: the parameter.
 */
import { Nodes, NONE, ROOT } from './nodes.ts';
import type { Pattern } from './pattern.ts';
import { Segment } from './segment.ts';

/** A successful look-up. */
export interface Match<T> {
  readonly value: T;
  /** The text of the segment that the pattern's parameter stands for, as it was sent; `''` without a parameter. */
  readonly parameter: string;
}

export class Trie<T extends NonNullable<unknown>> {
  readonly #nodes = new Nodes();
  readonly #segment = new Segment();
  // By the number of the node, and not reached through it: the processor fetches a node and its values at once. Through
  // the node, a match of one of 10,000 endpoints took a quarter longer.
  readonly #here: (T | undefined)[] = [undefined];
  readonly #below: (T | undefined)[] = [undefined];
  readonly #parameters: (string | undefined)[] = [undefined];
  // The literals that all routes begin with, without the last segment of any. A match compares them as one text.
  #shared: readonly string[] | undefined;
  #prefix = '/';
  #prefixNode = ROOT;
  #parameterStart = 0;

  /** Stores a value under a pattern that is free. */
  insert({ literals, parameter }: Pattern, value: T): void {
    let node = ROOT;
    for (const literal of literals) node = this.#childFor(node, literal);
    if (parameter === undefined) this.#here[node] = value;
    else {
      this.#below[node] = value;
      this.#parameters[node] = parameter;
    }
    this.#share(parameter === undefined ? literals.slice(0, -1) : literals);
  }

  /** The text of the pattern that another is in conflict with, or `undefined` when it is free. */
  conflictOf({ literals, parameter }: Pattern): string | undefined {
    const node = this.#find(literals);
    if (node === undefined) return undefined;
    const taken = parameter === undefined ? this.#here[node] : this.#below[node];
    if (taken === undefined) return undefined;
    return `/${(parameter === undefined ? literals : [...literals, `:${this.#parameters[node]}`]).join('/')}`;
  }

  /** Looks a path up. A miss leaves nothing to collect. */
  match(path: string): Match<T> | undefined {
    const node = this.#locate(path);
    if (node === undefined) return undefined;
    const start = this.#parameterStart;
    if (start === 0) return { value: this.#here[node] as T, parameter: '' };
    return { value: this.#below[node] as T, parameter: path.slice(start) };
  }

  /** Whether a path is matched. Leaves nothing to collect. */
  has(path: string): boolean {
    return this.#locate(path) !== undefined;
  }

  /** The node whose value a path has, and in `#parameterStart` where its parameter begins, or 0 without one. */
  #locate(path: string): number | undefined {
    if (!this.#hasPrefix(path)) return undefined;
    if (path.length === 1) return this.#locateHere(ROOT);
    const nodes = this.#nodes;
    const segment = this.#segment;
    let node = this.#prefixNode;
    let start = this.#prefix.length;
    while (nodes.hasChildren(node)) {
      segment.read(path, start);
      const child = nodes.find(node, segment);
      if (!segment.isFollowed) return (child === NONE ? undefined : this.#locateHere(child)) ?? this.#locateBelow(node, path, start);
      if (child === NONE) return undefined;
      node = child;
      start += segment.length + 1;
    }
    return this.#locateBelow(node, path, start);
  }

  // A loop, since `startsWith` took 8 ns more of a match's 90.
  #hasPrefix(path: string): boolean {
    const prefix = this.#prefix;
    if (path.length < prefix.length) return false;
    for (let at = 0; at < prefix.length; at += 1) {
      if (path.charCodeAt(at) !== prefix.charCodeAt(at)) return false;
    }
    return true;
  }

  #locateHere(node: number): number | undefined {
    this.#parameterStart = 0;
    return this.#here[node] === undefined ? undefined : node;
  }

  #locateBelow(node: number, path: string, start: number): number | undefined {
    if (this.#below[node] === undefined || start === path.length || path.indexOf('/', start) !== -1) return undefined;
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
    // Without a gap: an array with holes is slower.
    for (const values of [this.#here, this.#below, this.#parameters]) {
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
