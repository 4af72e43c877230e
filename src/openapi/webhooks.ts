/**
 * Webhooks: the requests that the API sends, to URLs of its clients, with the headers of Standard Webhooks.
 *
 *   pet.created: { schema: Pet }   ->   webhooks["pet.created"].post, operationId petCreatedWebhook
 */
import { JSON_TYPE } from './content.ts';
import type { OperationObject } from './describe.ts';
import { joinCamel, joinPascal, splitWords } from './names.ts';
import type { OpenApiWebhook } from './options.ts';
import type { Parameter } from './parameters.ts';
import { omitUndefined } from './plain-json.ts';
import type { Responses } from './responses.ts';
import type { Schemas } from './schemas/schemas.ts';

// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
const HEADERS: readonly Parameter[] = [
  {
    name: 'webhook-id', in: 'header', required: true,
    description: 'Names the webhook. It is the same if the webhook is sent again.', schema: { type: 'string' },
  },
  {
    name: 'webhook-timestamp', in: 'header', required: true,
    description: 'When this request was sent, in seconds since 1970. Reject one that is old.', schema: { type: 'integer' },
  },
  {
    name: 'webhook-signature', in: 'header', required: true,
    description: 'Signatures with a space between them, one for each secret: v1, and the HMAC-SHA256 of id.timestamp.body as Base64.',
    schema: { type: 'string' },
  },
];
const RESPONSES: Responses = {
  '2XX': { description: 'The webhook is received.' },
  default: { description: 'The webhook is sent again later.' },
};

/** Describes a webhook. */
export function describeWebhook(name: string, webhook: OpenApiWebhook, schemas: Schemas): OperationObject {
  const { schema, summary = summarizeWebhook(name), description, tags, deprecated } = webhook;
  const operationId = nameWebhook(name, webhook);
  const owner = { at: `webhook ${name}`, names: [joinPascal([operationId])] };
  return omitUndefined<OperationObject>({
    tags: tags && [...tags], summary, description, operationId, deprecated,
    parameters: HEADERS.map((header) => ({ ...header })),
    requestBody: { required: true, content: { [JSON_TYPE]: { schema: schemas.describe(schema, 'output', owner) } } },
    responses: Object.fromEntries(Object.entries(RESPONSES).map(([status, response]) => [status, { ...response }])),
    security: [],
  });
}

/** Names a webhook: its `operationId`. */
export function nameWebhook(name: string, { operationId }: OpenApiWebhook): string {
  return operationId ?? joinCamel([name, 'webhook']);
}

/** `Pet created` for `pet.created`. */
function summarizeWebhook(name: string): string {
  const words = splitWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
