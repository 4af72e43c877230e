/**
 * The nodes of a trie, by number: the root is 0, and any other is found by its parent's number and its own segment.
 *
 * A tree of objects lies all over the memory, and among 10,000 endpoints a match waits for it at every step. So the nodes
 * lie in one array of numbers, 32 bytes for each whose segment has no more than 23 characters, and a second array leads
 * to them: an open-addressed table, whose entries hold a node's number in their low bits and what is left of its hash in
 * the others. Finding a node touches a line or two of the processor's cache in each. With all of 10,000 endpoints asked
 * for, a match took a third to a half of what it took with an object and a `Map` for each node; seven routes hold 400 bytes
 * of heap instead of 1,300 (Node 20 and 24).
 */
import { mix, wordsFor, type Segment } from './segment.ts';

export const ROOT = 0;

/** What `find` gives where there is no such node: the root is nobody's child. */
export const NONE = 0;

// A node has as many units of eight words as its text needs, and its number is that of its first unit.
const UNIT = 8;
const PARENT = 0;
// The length of its segment, doubled, and one more once it has a child.
const LENGTH = 1;
const TEXT = 2;

const SMALLEST_TABLE = 8;

// Where "!" follows an index below, it is masked to the table's length, or is one of a node that is there.
export class Nodes {
  // Its length is a power of two; an entry of 0 is free.
  #table: Int32Array = new Int32Array(SMALLEST_TABLE);
  #units: Int32Array = new Int32Array(capacityOf(SMALLEST_TABLE) * UNIT);
  #used = unitsFor(0);

  hasChildren(node: number): boolean {
    return (this.#units[node * UNIT + LENGTH]! & 1) === 1;
  }

  /** The child of a node for a segment, or `NONE`. */
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

  /** Adds a child that is not there yet, and gives its number. */
  add(parent: number, { words, length }: Segment): number {
    const node = this.#used;
    this.#used += unitsFor(length);
    const isFull = this.#used > capacityOf(this.#table.length);
    if (isFull) this.#makeRoom();
    const unit = node * UNIT;
    this.#units[unit + PARENT] = parent;
    this.#units[unit + LENGTH] = length << 1;
    this.#units.set(words.subarray(0, wordsFor(length)), unit + TEXT);
    this.#units[parent * UNIT + LENGTH]! |= 1;
    // A larger table is empty yet.
    const first = isFull ? unitsFor(0) : node;
    for (let each = first; each < this.#used; each += unitsFor(this.#lengthOf(each))) this.#enter(each);
    return node;
  }

  #lengthOf(node: number): number {
    return this.#units[node * UNIT + LENGTH]! >>> 1;
  }

  #makeRoom(): void {
    let { length } = this.#table;
    while (this.#used > capacityOf(length)) length *= 2;
    const units = new Int32Array(capacityOf(length) * UNIT);
    units.set(this.#units);
    this.#units = units;
    this.#table = new Int32Array(length);
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

/**
 * How many units go with a table. Five eighths of it are taken at most, so that every search comes to a free entry: after
 * 60 at the latest among 10,000 nodes, after 2 mostly. And so each number fits into the bits that choose an entry.
 */
function capacityOf(tableLength: number): number {
  return (tableLength / 8) * 5;
}
