/** What the methods promise: RFC 9110 section 9.2, and RFC 5789. */

/** Whether a request changes nothing. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Whether a second request changes nothing more. */
export function isIdempotent(method: string): boolean {
  return isSafe(method) || method === 'PUT' || method === 'DELETE';
}
