/**
 * The name under which a browser saves a download (RFC 6266):
 *
 *   attachment('Übersicht.csv')   ->   Content-Disposition: attachment; filename="Ubersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv
 */
import { checkString } from '../util/options.ts';

/**
 * Makes the header of a download that is saved under a name, which may have any characters. Clients that only know ASCII get the name
 * without its accents (RFC 6266, RFC 8187).
 *
 * @example
 * ```ts
 * defineEndpoint({ get: () => reply(200, 'id,name\n1,Rex\n', { 'Content-Type': 'text/csv', ...attachment('Übersicht.csv') }) });
 * ```
 * @throws `TypeError` if the name is not a string.
 */
export function attachment(name: string): { readonly 'Content-Disposition': string } {
  // Without "%", which some clients decode here too.
  const ascii = checkString(name, 'name').normalize('NFKD').replace(/[^ -~]|["%\\]/g, '').replace(/^\.|^$/, 'download$&');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return { 'Content-Disposition': `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${encoded || ascii}`}` };
}
