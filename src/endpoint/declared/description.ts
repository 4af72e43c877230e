/**
 * Checks the members of an operation that only documents and clients read. They are not kept: documents read them from the host's own
 * object.
 */
import { decodeWith } from '../decoder.ts';
import { membersOf, type Members } from './members.ts';

const TEXTS = ['summary', 'description', 'operationId'];

/** Throws `TypeError` that names the wrong member. */
export function checkDescription(operation: Members, path: string): void {
  for (const name of TEXTS) {
    const text = operation[name];
    if (text !== undefined && typeof text !== 'string') throw new TypeError(`${path}.${name} must be a text: ${String(text)}`);
  }
  // An id is in the names of what generators make.
  if (operation['operationId'] === '') throw new TypeError(`${path}.operationId must not be empty`);
  const { tags = [], deprecated = false, errors = {} } = operation;
  const hasTexts = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string');
  if (!hasTexts) throw new TypeError(`${path}.tags must be a list of texts`);
  if (typeof deprecated !== 'boolean') throw new TypeError(`${path}.deprecated must be true or false: ${String(deprecated)}`);
  for (const [status, decoder] of Object.entries(membersOf(errors, `${path}.errors`))) {
    if (!/^[45]\d\d$/.test(status)) throw new TypeError(`${path}.errors must have statuses from 400 to 599: ${status}`);
    if (decoder !== null) decodeWith(decoder, `${path}.errors.${status}`);
  }
}
