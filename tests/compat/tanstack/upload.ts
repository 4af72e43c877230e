/** Uploads in a page, as docs/files.md says. `report` is the test's. */
import { client } from 'restpoint/client';
import { fetchWithProgress } from './progress.ts';

declare function report(part: number): unknown;

const left = new AbortController();
async function upload(size: number) {
  const uploads = client<any>('/v1')('/upload');
  return uploads.update(1, new Blob([new Uint8Array(size)]), { fetch: fetchWithProgress(report), signal: left.signal }).catch((error: Error) => error.name);
}
Object.assign(globalThis, { left, upload });
