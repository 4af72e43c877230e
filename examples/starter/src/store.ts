/** The notes, and where they are kept. It contains no HTTP code. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

export const Note = z.object({ text: z.string().min(1).max(1_000) });
export type Note = z.infer<typeof Note>;

type MaybePromise<T> = T | Promise<T>;

/** A store over a database has these functions too, which return promises. */
export interface NoteStore {
  list(): MaybePromise<(Note & { id: string })[]>;
  find(id: string): MaybePromise<Note | undefined>;
  insert(note: Note): MaybePromise<string>;
  replace(id: string, note: Note): MaybePromise<boolean>;
  remove(id: string): MaybePromise<boolean>;
}

export function memoryStore(): NoteStore {
  const notes = new Map<string, Note>();
  return {
    list: () => [...notes].map(([id, note]) => ({ id, ...note })),
    find: (id) => notes.get(id),
    insert: (note) => {
      const id = randomUUID();
      notes.set(id, note);
      return id;
    },
    replace: (id, note) => {
      const isKnown = notes.has(id);
      if (isKnown) notes.set(id, note);
      return isKnown;
    },
    remove: (id) => notes.delete(id),
  };
}
