/** The rules for the head of a request alone. */
import { isIPv6 } from 'node:net';
import type { ReadRequest } from './reference.ts';

const HOST = /^(?:(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+|\[([0-9A-Fa-f:.]+)\])(?::(\d{0,5}))?$/;

/** The statuses with which a request may be rejected before it is routed. */
export function admissionRejections(request: ReadRequest): number[] {
  const { target, method, framing, version } = request;
  // Node's parser rejects some characters in the authority.
  if (method === 'CONNECT') return /^[\w.:~[\]-]+$/.test(target) ? [501] : [400, 501];
  if (framing === 'rejected') return [400, 501];
  const rejections: number[] = [];
  const [host, ...hosts] = valuesOf(request, 'host');
  const authority = /^https?:\/\/([^/?]*)/i.exec(target)?.[1];
  if (!isTarget(method, target) || (authority !== undefined && !isHost(authority))) rejections.push(400);
  if (hosts.length > 0 || (host === undefined ? version === '1.1' : !isHost(host))) rejections.push(400);
  if (valuesOf(request, 'content-type').length > 1) rejections.push(400);
  const expectation = joinHeader(request, 'expect')?.toLowerCase();
  if (version === '1.1' && expectation !== undefined && expectation !== '100-continue') rejections.push(417);
  const webSocket = valuesOf(request, 'sec-websocket-version').at(-1) ?? '13';
  if (version === '1.1' && joinHeader(request, 'upgrade')?.toLowerCase() === 'websocket' && webSocket !== '13') rejections.push(426);
  return rejections;
}

function isTarget(method: string, target: string): boolean {
  if (/[^\x21-\x7e]|#/.test(target)) return false;
  const path = target.split('?', 1)[0] ?? '';
  if (/\\|%0[0ad]/i.test(path)) return false;
  return target.startsWith('/') || (target === '*' && method === 'OPTIONS') || /^https?:\/\//i.test(target);
}

function isHost(text: string): boolean {
  const [found, ipv6, port = ''] = HOST.exec(text) ?? [];
  return found !== undefined && (ipv6 === undefined || isIPv6(ipv6)) && Number(port) < 65_536;
}

const JSON_TYPE = /^(?:application\/json|[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+\+json)[ \t]*(?:;[ \t]*|;[ \t]*charset=(?:"utf-8"|utf-8)[ \t]*|;[ \t]*[!#$%&'*+.^`|~\w-]+=(?:[!#$%&'*+.^`|~\w-]+|"[^"\\]*")[ \t]*)*$/i;

/** Whether a `Content-Type` is that of JSON. Simpler than the rule: the grammar generates no other parameters, and mutations rarely do. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const charset = /;[ \t]*charset=("?)([^;"]*)\1/i.exec(contentType)?.[2]?.trim().toLowerCase() ?? 'utf-8';
  return JSON_TYPE.test(contentType) && charset === 'utf-8';
}

const MEDIA_TYPE = /^([!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+)[ \t]*(?:;[ \t]*(?:[!#$%&'*+.^`|~\w-]+=(?:[!#$%&'*+.^`|~\w-]+|"(?:[^"\\]|\\.)*"))?[ \t]*)*$/;

/** The media type in a `Content-Type`. */
export function mediaTypeIn(contentType: string): string | undefined {
  return MEDIA_TYPE.exec(contentType)?.[1]?.toLowerCase();
}

/** Whether a `Content-Type` is one of these, of which some end in `*`. Without any, every one is. */
export function isOneOf(types: readonly string[], contentType = 'application/octet-stream'): boolean {
  const type = mediaTypeIn(contentType) ?? '';
  return types.length === 0 || types.some((range) => range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1))));
}

export function hasBody({ framing, declared }: ReadRequest): boolean {
  return framing === 'chunked' || declared !== 0;
}

export function expectsContinue(request: ReadRequest): boolean {
  return request.version === '1.1' && joinHeader(request, 'expect')?.toLowerCase() === '100-continue';
}

function valuesOf({ headers }: ReadRequest, wanted: string): string[] {
  return headers.filter(([name]) => name === wanted).map(([, value]) => value);
}

export function joinHeader(request: ReadRequest, name: string): string | undefined {
  const values = valuesOf(request, name);
  return values.length === 0 ? undefined : values.join(', ');
}

/** The path of a target. */
export function pathOf(target: string): string {
  const path = (target.split('?', 1)[0] ?? '').replace(/^https?:\/\/[^/?]*/i, '');
  return path === '' ? '/' : path;
}

/** The query of a target, with its `?`. */
export function queryOf(target: string): string {
  return target.includes('?') ? target.slice(target.indexOf('?')) : '';
}
