/**
 * The nodes of a trie, by number. The root is 0. A node can have any number of children for literals, and one for a
 * parameter. A hash table finds a literal by its parent's number and its own text. The parameter's number is in its parent.
 *
 * The nodes are in one array of numbers. The table is a second one, with open addressing. A table entry holds a node's number in
 * its low bits, and the high bits of its hash. Objects with a `Map` each would be scattered in memory: with thousands of routes a
 * match would take twice as long, since every step misses the processor's cache.
 */
import { mix, wordsFor, type Segment } from './segment.ts';

export const ROOT = 0;

/** The result if there is no such node. The root is never a result, since it is no child. */
export const NONE = 0;

// A node takes as many units of eight words as its text needs. Its number is that of its first unit.
const UNIT = 8;
const PARENT = 0;
// The length of its literal times two, plus one if it has a child for a literal. The length of a parameter is 0.
const LENGTH = 1;
// The number of its child for a parameter.
const PARAMETER = 2;
const TEXT = 3;

const MIN_TABLE = 8;

// An index with `!` is in range: it is masked to the table's length, or belongs to an existing node.
export class Nodes {
  // The length is a power of two. A free entry is 0.
  #table: Int32Array = new Int32Array(MIN_TABLE);
  #units: Int32Array = new Int32Array(capacityOf(MIN_TABLE) * UNIT);
  #used = unitsFor(0);

  /** Whether a node has a child for a literal. */
  hasLiterals(node: number): boolean {
    return (this.#units[node * UNIT + LENGTH]! & 1) === 1;
  }

  /** The child of a node for a parameter, or `NONE`. */
  parameterOf(node: number): number {
    return this.#units[node * UNIT + PARAMETER]!;
  }

  /** The child of a node for a literal, or `NONE`. */
  find(parent: number, segment: Segment): number {
    const { words, length } = segment;
    const units = this.#units;
    const table = this.#table;
    const mask = table.length - 1;
    const hash = mix(segment.hash, parent);
    let at = hash & mask;
    for (let entry = table[at]!; entry !== NONE; entry = table[at]!) {
      const unit = (entry & mask) * UNIT;
      if (((entry ^ hash) & ~mask) === 0 && units[unit + PARENT] === parent && units[unit + LENGTH]! >>> 1 === length) {
        let left = length >>> 2;
        while (left >= 0 && units[unit + TEXT + left] === words[left]) left -= 1;
        if (left < 0) return entry & mask;
      }
      at = (at + 1) & mask;
    }
    return NONE;
  }

  /** Adds a child for a literal, which does not exist yet. Returns its number. */
  add(parent: number, { words, length }: Segment): number {
    const node = this.#take(length);
    const unit = node * UNIT;
    this.#units[unit + PARENT] = parent;
    this.#units[unit + LENGTH] = length << 1;
    this.#units.set(words.subarray(0, wordsFor(length)), unit + TEXT);
    this.#units[parent * UNIT + LENGTH]! |= 1;
    this.#enter(node);
    return node;
  }

  /** Adds the child for a parameter, which does not exist yet. Returns its number. */
  addParameter(parent: number): number {
    const node = this.#take(0);
    this.#units[parent * UNIT + PARAMETER] = node;
    return node;
  }

  #lengthOf(node: number): number {
    return this.#units[node * UNIT + LENGTH]! >>> 1;
  }

  #take(length: number): number {
    const node = this.#used;
    const used = node + unitsFor(length);
    if (used > capacityOf(this.#table.length)) this.#makeRoom(used);
    this.#used = used;
    return node;
  }

  #makeRoom(used: number): void {
    let { length } = this.#table;
    while (used > capacityOf(length)) length *= 2;
    const units = new Int32Array(capacityOf(length) * UNIT);
    units.set(this.#units);
    this.#units = units;
    this.#table = new Int32Array(length);
    for (let node = unitsFor(0); node < this.#used; node += unitsFor(this.#lengthOf(node))) {
      if (this.#lengthOf(node) > 0) this.#enter(node);
    }
  }

  #enter(node: number): void {
    const unit = node * UNIT;
    const words = this.#units.subarray(unit + TEXT, unit + TEXT + wordsFor(this.#lengthOf(node)));
    const hash = mix(words.reduce(mix, 0), this.#units[unit + PARENT]!);
    const mask = this.#table.length - 1;
    let at = hash & mask;
    while (this.#table[at] !== NONE) at = (at + 1) & mask;
    this.#table[at] = (hash & ~mask) | node;
  }
}

function unitsFor(length: number): number {
  return Math.ceil((TEXT + wordsFor(length)) / UNIT);
}

/** At most five eighths of a table are used: a search soon ends at a free entry, and a node's number fits into the index bits. */
function capacityOf(tableLength: number): number {
  return (tableLength / 8) * 5;
}
