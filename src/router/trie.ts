/**
 * The routes of one method: a trie with one level for each path segment. A node stands for the segments that lead to it. It can have
 * two values: one for exactly those segments, and one for those segments followed by a parameter. So a parameter is a node only if
 * more segments follow it.
 */
import { Nodes, NONE, ROOT } from './nodes.ts';
import { isParameter, type Pattern } from './pattern.ts';
import { Segment } from './segment.ts';

export class Trie<T extends NonNullable<unknown>> {
  readonly #nodes = new Nodes();
  readonly #segment = new Segment();
  // Indexed by the number of the node, which is faster than nodes with references to their values.
  readonly #exact: (T | undefined)[] = [undefined];
  readonly #parameter: (T | undefined)[] = [undefined];
  // The texts of patterns with parameters, for messages.
  readonly #exactTexts: (string | undefined)[] = [];
  readonly #parameterTexts: (string | undefined)[] = [];
  // The literals that all routes begin with, except the last segment of each. A match compares them as one text.
  #shared: readonly string[] | undefined;
  #prefix = '/';
  #prefixNode = ROOT;

  /** Stores a value. The pattern must be free. */
  insert(pattern: Pattern, value: T): void {
    let node = ROOT;
    for (const segment of pathOf(pattern)) {
      this.#segment.makeRoom(segment.length);
      const child = this.#childOf(node, segment);
      node = child === NONE ? this.#addChild(node, segment) : child;
    }
    this.#valuesFor(pattern)[node] = value;
    if (pattern.parameters.length > 0) this.#textsFor(pattern)[node] = pattern.text;
    this.#share(pattern);
  }

  /** The text of the stored pattern that matches the same paths as this one. `undefined` if there is none. */
  conflictOf(pattern: Pattern): string | undefined {
    const node = this.#find(pathOf(pattern));
    if (node === undefined || this.#valuesFor(pattern)[node] === undefined) return undefined;
    return this.#textsFor(pattern)[node] ?? pattern.text;
  }

  /** The value of a path. Allocates nothing. */
  match(path: string): T | undefined {
    if (!this.#hasPrefix(path)) return undefined;
    return path.length === 1 ? this.#exact[ROOT] : this.#matchBelow(this.#prefixNode, path, this.#prefix.length);
  }

  /**
   * The value of a path whose segment at `from` is matched by a child of `top`, or is its last parameter. No node is visited twice, so
   * the time is bounded by the number of nodes, however often a literal leads nowhere.
   */
  #matchBelow(top: number, path: string, from: number): T | undefined {
    const nodes = this.#nodes;
    const segment = this.#segment;
    let node = top;
    let start = from;
    for (;;) {
      const parameter = nodes.parameterOf(node);
      if (nodes.hasLiterals(node)) {
        segment.read(path, start);
        const child = nodes.find(node, segment);
        const next = start + segment.length + 1;
        if (segment.isFollowed && parameter === NONE) {
          if (child === NONE) return undefined;
          node = child;
          start = next;
          continue;
        }
        if (child !== NONE) {
          const value = segment.isFollowed ? this.#matchBelow(child, path, next) : this.#exact[child];
          if (value !== undefined) return value;
        }
      }
      const end = path.indexOf('/', start);
      if (end === -1) return start === path.length ? undefined : this.#parameter[node];
      if (parameter === NONE || end === start) return undefined;
      node = parameter;
      start = end + 1;
    }
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

  /** The node of a path of segments, or `undefined`. */
  #find(segments: readonly string[]): number | undefined {
    let node = ROOT;
    for (const segment of segments) {
      node = this.#childOf(node, segment);
      if (node === NONE) return undefined;
    }
    return node;
  }

  #childOf(parent: number, segment: string): number {
    if (isParameter(segment)) return this.#nodes.parameterOf(parent);
    this.#segment.read(segment, 0);
    return this.#nodes.find(parent, this.#segment);
  }

  /** Adds a child, whose segment `childOf` has just read. */
  #addChild(parent: number, segment: string): number {
    const child = isParameter(segment) ? this.#nodes.addParameter(parent) : this.#nodes.add(parent, this.#segment);
    // Fills the gaps, since an array with holes is slower.
    for (const values of [this.#exact, this.#parameter]) {
      while (values.length <= child) values.push(undefined);
    }
    return child;
  }

  #valuesFor(pattern: Pattern): (T | undefined)[] {
    return endsInParameter(pattern) ? this.#parameter : this.#exact;
  }

  #textsFor(pattern: Pattern): (string | undefined)[] {
    return endsInParameter(pattern) ? this.#parameterTexts : this.#exactTexts;
  }

  #share({ segments }: Pattern): void {
    // Without a parameter, `slice` leaves the last segment out.
    const literals = segments.slice(0, segments.findIndex(isParameter));
    const shared = this.#shared ?? literals;
    const end = shared.findIndex((literal, at) => literal !== literals[at]);
    this.#shared = end === -1 ? shared : shared.slice(0, end);
    this.#prefix = ['', ...this.#shared, ''].join('/');
    this.#prefixNode = this.#find(this.#shared) ?? ROOT;
  }
}

/** The segments that lead to the node with a pattern's value. */
function pathOf(pattern: Pattern): readonly string[] {
  return endsInParameter(pattern) ? pattern.segments.slice(0, -1) : pattern.segments;
}

function endsInParameter({ segments }: Pattern): boolean {
  return isParameter(segments.at(-1) ?? '');
}
