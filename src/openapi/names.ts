/**
 * Names that follow from a declaration:
 *
 *   /zoo/:zoo/pet-shop            ->   zooPetShop              the endpoint, and its tag
 *   create, custom.search there   ->   zooPetShopCreate, zooPetShopSearch
 *   itemCustom.feed               ->   zooPetShopItemFeed
 *   webhook pet.created           ->   petCreatedWebhook
 */
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { splitTemplate } from '../router/pattern.ts';
import type { Owner } from './schemas/decoder-schema.ts';

/** Names an endpoint: the prefix of its operations, and their tag. Empty for a sub-path without a literal segment. */
export const nameEndpoint: (endpoint: Endpoint) => string = remember(({ declared, subpath }: Endpoint) => {
  const { name } = declared as { readonly name?: string };
  return name ?? joinCamel(splitTemplate(subpath).flatMap((segment) => (segment.name === undefined ? [segment.raw] : [])));
});

/** Lists the tags of an operation: its own, or else the name of its endpoint. */
export function listTags({ endpoint, options: { tags = [nameEndpoint(endpoint)].filter((name) => name !== '') } }: Operation): readonly string[] {
  return tags;
}

/** Names an operation: its `operationId`. */
export const nameOperation: (operation: Operation) => string = remember(({ endpoint, kind, name, options: { operationId } }: Operation) => {
  if (operationId !== undefined) return operationId;
  const words = [kind.operationId, name];
  const prefix = nameEndpoint(endpoint);
  return prefix === '' ? joinCamel(words) : prefix + joinPascal(words);
});

/** Each part of an operation asks for its names: making them anew was 12 % of the time of a document. */
function remember<Named extends object>(makeName: (named: Named) => string): (named: Named) => string {
  const names = new WeakMap<Named, string>();
  return (named) => {
    const name = names.get(named) ?? makeName(named);
    names.set(named, name);
    return name;
  };
}

/** Summarizes an operation without `summary`: `Create pet`, `List pet`, `Feed pet`. */
export function summarize({ endpoint, kind, name }: Operation): string {
  return toSentence([name === '' ? kind.name : name, nameEndpoint(endpoint)]);
}

/** `Create pet` for `create` and `pet`. */
export function toSentence(names: readonly string[]): string {
  const words = names.map(splitWords).filter((each) => each !== '').join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Describes a part of an operation that has a decoder: `body`, `query`. The schema of an endpoint has the endpoint's name. */
export function describeOwner(operation: Operation, part: string, decoder: unknown): Owner {
  const { endpoint } = operation;
  const operationId = nameOperation(operation);
  return {
    at: `${part} of ${operationId}`,
    // Few schemas need a name.
    get names() {
      const own = joinPascal([operationId, part]);
      return decoder === endpoint.schema ? [joinPascal([nameEndpoint(endpoint) || 'item']), own] : [own];
    },
  };
}

/** `ZooPet` for `zoo` and `pet`. Characters that no identifier has separate words. A string without a letter or a digit stays as it is. */
export function joinPascal(strings: readonly string[]): string {
  return strings.map((string) => string.replaceAll(WORD_START, (_, first: string) => first.toUpperCase()) || string).join('');
}

const WORD_START = /(?:^[^\p{L}\p{N}]*|[^\p{L}\p{N}]+)(.?)/gu;

/** `zooPet` for `zoo` and `pet`. */
export function joinCamel(strings: readonly string[]): string {
  const name = joinPascal(strings);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** `zoo pet` for `zooPet`, `pet shop` for `pet-shop`. */
function splitWords(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').toLowerCase().trim();
}

/** Makes the name of a component, which has only ASCII characters: `u732b` for any other letter. */
export function toComponentName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]/gu, (other) => (/[\p{L}\p{N}]/u.test(other) ? `u${other.codePointAt(0)?.toString(16)}` : '_'));
}
