/**
 * Describes webhooks: requests that the API sends to URLs of its clients, with the headers of Standard Webhooks.
 *
 *   pet.created: { schema: Pet }   ->   webhooks["pet.created"].post, operationId petCreatedWebhook
 */
import { JSON_TYPE } from './content.ts';
import type { OperationObject } from './document.ts';
import { joinCamel, joinPascal, toSentence } from './names.ts';
import type { OpenApiWebhook } from './open-api-options.ts';
import type { Parameter } from './parameters.ts';
import { omitUndefined } from './plain-json.ts';
import type { Schemas } from './schemas/schemas.ts';

export interface DescribedWebhook {
  readonly name: string;
  readonly operationId: string;
  readonly describe: (schemas: Schemas) => OperationObject;
}

// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
const HEADERS = [
  ['webhook-id', 'string', 'Names the webhook. It is the same if the webhook is sent again.'],
  ['webhook-timestamp', 'integer', 'When this request was sent, in seconds since 1970. Reject one that is old.'],
  [
    'webhook-signature', 'string',
    'Signatures with a space between them, one for each secret: v1, and the HMAC-SHA256 of id.timestamp.body as Base64.',
  ],
] as const;

export function describeWebhooks(webhooks: Readonly<Record<string, OpenApiWebhook>>): DescribedWebhook[] {
  return Object.entries(webhooks).map(([name, webhook]) => {
    const { schema, summary = toSentence([name]), description, tags, operationId = joinCamel([name, 'webhook']), deprecated } = webhook;
    const owner = { at: `webhook ${name}`, names: [joinPascal([operationId])] };
    const describe = (schemas: Schemas): OperationObject => omitUndefined<OperationObject>({
      tags: tags && [...tags], summary, description, operationId, deprecated,
      parameters: HEADERS.map(([header, type, about]): Parameter => {
        return { name: header, in: 'header', required: true, description: about, schema: { type } };
      }),
      requestBody: { required: true, content: { [JSON_TYPE]: { schema: schemas.describe(schema, 'output', owner) } } },
      responses: { '2XX': { description: 'The webhook is received.' }, default: { description: 'The webhook is sent again later.' } },
      security: [],
    });
    return { name, operationId, describe };
  });
}
