/**
 * Describes the endpoints of a server as an OpenAPI 3.1 document. All of it follows from the declarations, as routes,
 * discovery and decoding do:
 *
 *   get at /pet with an integerId   ->   paths["/v1/pet/{id}"].get, operationId petGet, 200, 400, 404 and any other problem
 */
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { disown, describeType } from '../util/promises.ts';
import { describe } from './describe.ts';
import type { OpenApiDocument, OperationObject } from './document.ts';
import { OPEN_API_OPTIONS, type OpenApiOptions } from './open-api-options.ts';
import { copyPlain, omitEmpty, omitUndefined } from './plain-json.ts';
import { keepUsedComponents } from './used-components.ts';
import { describeWebhooks } from './webhooks.ts';

/**
 * Makes the OpenAPI document of a server. It is the same for the same registrations: paths in order of registration, components sorted by
 * name.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 *
 * const document = openApi(server, { info: { title: 'Zoo', version: '1.0.0' }, servers: [{ url: 'https://api.example' }] });
 * writeFileSync('openapi.json', JSON.stringify(document, null, 2));
 * ```
 * @throws `TypeError` for an invalid option; for two operations with one `operationId`; for two components or two security schemes with one
 * name; and if `transform` returns no document. An error of `transform` is thrown on.
 */
export function openApi(server: DescribedServer, options: OpenApiOptions): OpenApiDocument {
  const { info, servers, tags, transform, webhooks: given } = OPEN_API_OPTIONS.check(options, 'options');
  const { operations, webhooks, components } = describe(server, { webhooks: describeWebhooks(given), isDescribed: isShown });
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const { template, operation: { kind: { method } }, object } of operations) (paths[template] ??= {})[method.toLowerCase()] = object;
  const copied = copyPlain(omitUndefined<Pick<OpenApiDocument, 'info' | 'servers' | 'tags'>>({ info, servers, tags }));
  const document = { openapi: '3.1.0', ...copied, paths, ...omitEmpty({ webhooks, components }) };
  if (transform === undefined) return document;
  // It may change the document that it gets.
  const made = copyPlain(document);
  return keepUsedComponents(copyPlain(checkDocument(transform(document))), made);
}

function isShown({ options, endpoint: { declared } }: Operation): boolean {
  return (options.hidden ?? declared['hidden']) !== true;
}

function checkDocument(document: unknown): OpenApiDocument {
  disown(document);
  if (typeof Object(document).openapi === 'string') return document as OpenApiDocument;
  throw new TypeError(`options.transform must return the document: ${describeType(document)}`);
}
