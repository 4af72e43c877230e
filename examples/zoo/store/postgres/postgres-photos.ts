/** The table of photos. */
import { NotFoundError, type Photo, type Photos } from '../store.ts';
import type { Queries } from './database.ts';
import type { PostgresPets } from './postgres-pets.ts';

export class PostgresPhotos implements Photos {
  readonly #database: Queries;
  readonly #pets: PostgresPets;

  constructor(database: Queries, pets: PostgresPets) {
    this.#database = database;
    this.#pets = pets;
  }

  async put(zoo: number, pet: number, { type, bytes }: Photo): Promise<void> {
    const { rowCount } = await this.#database.query(
      `INSERT INTO photo (pet, type, bytes) SELECT id, $3::text, $4::bytea FROM pet WHERE zoo = $1 AND id = $2
        ON CONFLICT (pet) DO UPDATE SET type = excluded.type, bytes = excluded.bytes`,
      [zoo, pet, type, bytes],
      // The pet has left since it was found.
      { 'foreign key': () => new NotFoundError('pet', pet) },
    );
    if (rowCount === 0) await this.#missing(zoo, pet, 'pet');
  }

  async find(zoo: number, pet: number): Promise<Photo> {
    const { rows: [row] } = await this.#database.query(
      'SELECT photo.type, photo.bytes FROM photo JOIN pet ON pet.id = photo.pet WHERE pet.zoo = $1 AND pet.id = $2',
      [zoo, pet],
    );
    if (!(row?.['bytes'] instanceof Uint8Array)) return this.#missing(zoo, pet, 'photo of pet');
    return { type: String(row['type']), bytes: row['bytes'] };
  }

  async remove(zoo: number, pet: number): Promise<void> {
    const { rowCount } = await this.#database.query(
      'DELETE FROM photo USING pet WHERE pet.id = photo.pet AND pet.zoo = $1 AND pet.id = $2',
      [zoo, pet],
    );
    if (rowCount === 0) await this.#missing(zoo, pet, 'photo of pet');
  }

  /** Throws the `NotFoundError` of the zoo or the pet if it is missing, else of `what`. */
  async #missing(zoo: number, pet: number, what: 'pet' | 'photo of pet'): Promise<never> {
    await this.#pets.find(zoo, pet);
    throw new NotFoundError(what, pet);
  }
}
