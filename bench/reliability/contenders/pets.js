/** What all contenders serve: pets in memory, and rooms whose door can be shut, so that requests stay in flight. */
export const BODY_BYTES = 2 ** 20;

export class Pets {
  #pets = new Map();
  #lastId = 0;
  #door = Promise.resolve();
  #openDoor = () => {};

  /** Gives the new pet's id. */
  insert(pet) {
    this.#pets.set((this.#lastId += 1), pet);
    return this.#lastId;
  }

  /** Gives a pet, or `undefined`. */
  find(id) {
    return this.#pets.get(id);
  }

  /** Gives a room at once, unless the door is shut. */
  async room(id) {
    await this.#door;
    return { id };
  }

  shut() {
    this.#door = new Promise((resolve) => (this.#openDoor = resolve));
  }

  open() {
    this.#openDoor();
  }
}

/** Says what is wrong with a value that should be a pet, or gives `undefined`. */
export function flawOf(json) {
  if (typeof json !== 'object' || json === null) return 'expected an object';
  if (typeof json.name !== 'string') return 'name: expected a string';
  return typeof json.legs === 'number' ? undefined : 'legs: expected a number';
}
