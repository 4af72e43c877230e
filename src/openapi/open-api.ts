/**
 * Describes the endpoints of a server as an OpenAPI 3.1 document. All of it follows from the declarations, as routes,
 * discovery and decoding do:
 *
 *   get at /pet with an integerId   ->   paths["/v1/pet/{id}"].get, operationId petGet, 200, 400, 404 and any other problem
 */
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { checkDecision, disown, describeType } from '../util/promises.ts';
import { describe, listOperations } from './describe.ts';
import type { OpenApiDocument, OperationObject } from './document.ts';
import { listTags, nameOperation } from './names.ts';
import { type CheckedOpenApiOptions, OPEN_API_OPTIONS, type OpenApiOptions } from './open-api-options.ts';
import { copyPlain, omitEmpty } from './plain-json.ts';
import { keepUsedComponents } from './used-components.ts';
import { describeWebhooks } from './webhooks.ts';

/**
 * Makes the OpenAPI document of a server. It is the same for the same registrations: paths in order of registration, components sorted by
 * name. Until the next registration it is made once, and each caller gets a copy.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 *
 * const document = openApi(server, { info: { title: 'Zoo', version: '1.0.0' }, servers: [{ url: 'https://api.example' }] });
 * writeFileSync('openapi.json', JSON.stringify(document, null, 2));
 * ```
 * @throws `TypeError` for an invalid option; for two operations with one `operationId`; for two components or two security schemes with one
 * name; if `include` returns no boolean, and `transform` no document. Errors of `transform` and `include` are thrown on.
 */
export function openApi(server: DescribedServer, options: OpenApiOptions): OpenApiDocument {
  const checked = OPEN_API_OPTIONS.check(options, 'options');
  const { info, servers, tags, webhooks } = checked;
  const shown = listShown(server, checked);
  const parts = Object.entries(webhooks).flatMap(([name, { schema, ...others }]) => [schema, JSON.stringify([name, others])]);
  const key = [server[' internal'].all.length, JSON.stringify({ info, servers, tags }), ...parts, ...shown];
  const last = made.get(server);
  const isKept = last?.key.length === key.length && key.every((part, at) => part === last.key[at]);
  const json = isKept ? last.json : writeDocument(server, checked, shown);
  made.set(server, { key, json });
  return transformDocument(json, checked);
}

/** The last document of each server before `transform`, and what it was made of. */
const made = new WeakMap<DescribedServer, { readonly key: readonly unknown[]; readonly json: string }>();

/** The document before `transform`, as JSON. */
export function writeDocument(server: DescribedServer, options: CheckedOpenApiOptions, shown: readonly Operation[]): string {
  const { info, servers, tags: groups, webhooks: given } = options;
  const { operations, webhooks, components } = describe(server, shown, describeWebhooks(given));
  const used = new Set([...shown.flatMap(listTags), ...Object.values(given).flatMap(({ tags: own = [] }) => own)]);
  // The description of a tag can tell of the operations that the document leaves out. A tag that no operation has stays.
  const all = new Set(listOperations(server).flatMap(listTags));
  const tags = groups?.filter(({ name }) => used.has(name) || !all.has(name));
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const { template, operation: { kind: { method } }, object } of operations) (paths[template] ??= {})[method.toLowerCase()] = object;
  return JSON.stringify({ openapi: '3.1.0', info, servers, tags, paths, ...omitEmpty({ webhooks, components }) });
}

/** Parses a document, which is the caller's own, and transforms it. */
export function transformDocument(json: string, { transform }: CheckedOpenApiOptions): OpenApiDocument {
  const document = JSON.parse(json) as OpenApiDocument;
  if (transform === undefined) return document;
  return keepUsedComponents(copyPlain(checkDocument(transform(document))), JSON.parse(json) as OpenApiDocument);
}

/** Lists the operations that a document describes. */
export function listShown(server: DescribedServer, { include }: CheckedOpenApiOptions): readonly Operation[] {
  return listOperations(server).filter((operation) => {
    const { endpoint: { declared }, options: { hidden = declared['hidden'] }, route, scopes } = operation;
    if (hidden === true || include === undefined) return hidden !== true;
    return checkDecision(include({ ...route, operationId: nameOperation(operation), tags: listTags(operation), scopes }), 'options.include');
  });
}

function checkDocument(document: unknown): OpenApiDocument {
  disown(document);
  if (typeof Object(document).openapi === 'string') return document as OpenApiDocument;
  throw new TypeError(`options.transform must return the document: ${describeType(document)}`);
}
