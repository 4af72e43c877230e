/**
 * Names that follow from a declaration:
 *
 *   /zoo/:zoo/pet-shop            ->   zooPetShop              the endpoint, and its tag
 *   create, custom.search there   ->   zooPetShopCreate, zooPetShopSearch
 *   itemCustom.feed               ->   zooPetShopItemFeed
 *   search                        ->   zooPetShopQuery          a Custom operation can have the name `search`
 */
import type { OperationKind } from '../endpoint/kinds.ts';
import { isParameter } from '../router/pattern.ts';

/** The name of an endpoint without `name`. Empty if its sub-path has no literal segment. */
export function nameOfPath(subpath: string): string {
  return camelCase(subpath.split('/').filter((segment) => !isParameter(segment)));
}

/** The id of an operation without `operationId`. `name` is that of a Custom operation. */
export function nameOfOperation(prefix: string, kind: OperationKind, name: string): string {
  const { method, suffix } = kind;
  const isNamed = suffix.endsWith('<name>');
  const words = isNamed ? [...(suffix === '/:id/<name>' ? ['item'] : []), name] : [method === 'QUERY' ? 'query' : kind.name];
  return prefix === '' ? camelCase(words) : prefix + pascalCase(words);
}

/** `ZooPet` for `zoo` and `pet`. Characters that no identifier has separate words. A text without a letter or a digit stays as it is. */
export function pascalCase(texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll(WORD_START, (_, first: string) => first.toUpperCase()) || text).join('');
}

const WORD_START = /(?:^[^\p{L}\p{N}]*|[^\p{L}\p{N}]+)(.?)/gu;

function camelCase(texts: readonly string[]): string {
  const name = pascalCase(texts);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** `zoo pet` for `zooPet`, `pet shop` for `pet-shop`. */
export function splitWords(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').toLowerCase().trim();
}

/** A text as the name of a component, which has only ASCII characters: `u732b` for another letter. */
export function componentName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]/gu, (other) => (/[\p{L}\p{N}]/u.test(other) ? `u${other.codePointAt(0)?.toString(16)}` : '_'));
}
