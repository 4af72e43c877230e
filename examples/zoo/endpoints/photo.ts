/** The photo of a pet. A pet has one, so the endpoint has no `id`. The image is sent as it is, in both directions. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ApiError, bytes, defineEndpoint, integerId, reply } from 'restpoint';
import { ranges } from 'restpoint/formats';
import type { SignIn } from '../keepers.ts';
import type { Store } from '../store/store.ts';

const IMAGE = bytes({ types: ['image/png', 'image/jpeg'] });
const MAX_BYTES = 256 * 1024;

export function photoEndpoint({ pets, photos }: Store, signIn: SignIn) {
  return defineEndpoint({
    params: { zoo: integerId, pet: integerId },
    get: {
      output: { 200: IMAGE, 206: IMAGE, 304: null },
      run: async ({ params: { zoo, pet } }) => {
        const { type, bytes } = await photos.find(zoo, pet);
        // A client that sends the tag back in `If-None-Match` gets a 304 without the photo, and in `If-Range` a part of the same photo.
        const tag = createHash('sha256').update(bytes).digest('base64url');
        return reply(200, ranges({ size: bytes.length, read: (from, to) => bytes.subarray(from, to + 1) }), {
          'Content-Type': type,
          'ETag': `"${tag}"`,
          'Cache-Control': 'no-cache',
        });
      },
    },
    update: {
      context: signIn,
      input: IMAGE,
      limits: { bodyBytes: MAX_BYTES },
      run: async (body, { params: { zoo, pet } }) => {
        // Before the photo is read, and not only when it is stored.
        await pets.find(zoo, pet);
        const image = await buffer(body);
        await photos.put(zoo, pet, { type: typeOf(image), bytes: image });
      },
    },
    delete: { context: signIn, run: ({ params: { zoo, pet } }) => photos.remove(zoo, pet) },
  });
}

/** The media type that an image really has, by its first bytes. */
function typeOf(image: Buffer): string {
  const start = image.toString('latin1', 0, 8);
  if (start === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  throw ApiError.status(415, 'The photo is neither PNG nor JPEG.');
}
