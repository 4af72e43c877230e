/** A failure that a request asked for by its marker. */
export class RequestedFailure extends Error {
  override readonly name = 'RequestedFailure';
}
