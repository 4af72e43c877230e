/** Encodes forms, for requests that the package itself makes. */

/** Encodes an object as `multipart/form-data`. A list is sent as several fields with one name, a `Blob` as a file. */
export async function encodeForm(fields: object): Promise<{ readonly type: string; readonly bytes: Buffer }> {
  const form = new FormData();
  for (const [name, given] of fields instanceof FormData ? fields : Object.entries(fields)) {
    for (const value of [given].flat() as unknown[]) {
      if (value instanceof Blob) form.append(name, value);
      else if (value !== undefined && value !== null) form.append(name, String(value));
    }
  }
  const response = new Response(form);
  return { type: response.headers.get('content-type') ?? '', bytes: Buffer.from(await response.arrayBuffer()) };
}
