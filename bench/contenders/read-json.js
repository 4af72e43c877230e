/** Reads JSON, for the contenders that leave bodies to their users. */
import { BODY_BYTES } from './pets.js';

/** Calls `done` with a status to refuse with, or with 0 and what the body holds. */
export function readJson(request, done) {
  let chunks = [];
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES) chunks.push(chunk);
    else chunks = [];
  });
  request.on('end', () => {
    let json;
    try {
      json = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return done(bytes > BODY_BYTES ? 413 : 400);
    }
    return done(0, json);
  });
}
