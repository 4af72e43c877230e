/** The table of photos. */
import { NotFoundError, type Photo, type Photos } from '../store.ts';
import type { Database, Statement } from './database.ts';
import type { SqlitePets } from './sqlite-pets.ts';

export class SqlitePhotos implements Photos {
  readonly #pets: SqlitePets;
  readonly #put: Statement;
  readonly #find: Statement;
  readonly #remove: Statement;

  constructor(database: Database, pets: SqlitePets) {
    this.#pets = pets;
    this.#put = database.prepare('INSERT OR REPLACE INTO photo (pet, type, bytes) VALUES (?, ?, ?)');
    this.#find = database.prepare('SELECT type, bytes FROM photo WHERE pet = ?');
    this.#remove = database.prepare('DELETE FROM photo WHERE pet = ?');
  }

  put(zoo: number, pet: number, { type, bytes }: Photo): void {
    this.#pets.find(zoo, pet);
    this.#put.run(pet, type, bytes);
  }

  find(zoo: number, pet: number): Photo {
    this.#pets.find(zoo, pet);
    const { type, bytes } = this.#find.get(pet) ?? {};
    if (!(bytes instanceof Uint8Array)) throw new NotFoundError('photo of pet', pet);
    return { type: String(type), bytes };
  }

  remove(zoo: number, pet: number): void {
    this.#pets.find(zoo, pet);
    if (Number(this.#remove.run(pet).changes) === 0) throw new NotFoundError('photo of pet', pet);
  }
}
