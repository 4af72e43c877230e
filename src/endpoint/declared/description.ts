/**
 * Checks the members of an operation that only documents and clients read. They are not kept: documents read them from the host's own
 * object.
 */
import { type Members, membersOf, oneOf, textFrom, textsFrom } from '../../errors/members.ts';
import { decodeWith } from '../decoder.ts';

const TEXTS = ['summary', 'description', 'operationId'];

/** Throws `TypeError` that names the wrong member. */
export function checkDescription(operation: Members, path: string): void {
  for (const name of TEXTS) textFrom(operation[name], `${path}.${name}`);
  // An id is in the names of what generators make.
  if (operation['operationId'] === '') throw new TypeError(`${path}.operationId must not be empty`);
  const { tags = [], deprecated = false, errors = {} } = operation;
  textsFrom(tags, `${path}.tags`);
  oneOf(deprecated, `${path}.deprecated`, [false, true]);
  for (const [status, decoder] of Object.entries(membersOf(errors, `${path}.errors`))) {
    if (!/^[45]\d\d$/.test(status)) throw new TypeError(`${path}.errors must have statuses from 400 to 599: ${status}`);
    if (decoder !== null) decodeWith(decoder, `${path}.errors.${status}`);
  }
}
