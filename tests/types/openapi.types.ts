/** The properties that describe an endpoint, and the functions of `restpoint/openapi`. Compiling this file is the test. */
import { ApiServer, defineEndpoint, integerId, stringId, type IdCodec, type MountHandler, type SchemaConverter } from '../../src/index.ts';
import { openApi, openApiHandler, swaggerUiHandler, type OpenApiDocument, type OpenApiOptions, type OperationObject, type PathItem } from '../../src/openapi/index.ts';
import { decodePet, petSchema, same } from './schemas.ts';

const server = new ApiServer('/v1');
const info = { title: 'Zoo', version: '1' };

// The descriptions of an endpoint and its operations.
const pets = defineEndpoint({
  id: integerId,
  name: 'pets',
  schema: petSchema,
  get: { summary: 'a pet', description: 'by its id', tags: ['pets'], deprecated: true, operationId: 'pet', tool: { name: 'pet' }, errors: { 409: null, 422: petSchema }, run: () => null },
  patch: { input: decodePet, output: { 200: petSchema, 204: null }, run: (id, pet) => [same<typeof id, number>(true), pet.name] },
});
same<typeof pets.name, string>(true);
// @ts-expect-error an operation is deprecated, or says nothing of it
defineEndpoint({ get: { deprecated: false, run: () => null } });
server.registerEndpoint('/pet', pets);
class Pets {
  readonly id = stringId;
  readonly name: string = 'animals';

  get(name: string): string {
    return name;
  }
}
server.registerEndpoint('/animal', new Pets());
// @ts-expect-error a name is a string
defineEndpoint({ id: stringId, name: 7, get: (id) => id });
// @ts-expect-error a summary is a string
defineEndpoint({ id: stringId, list: { summary: 7, run: () => [] } });
// @ts-expect-error tags are a list
defineEndpoint({ id: stringId, list: { tags: 'pets', run: () => [] } });
// @ts-expect-error errors have decoders
defineEndpoint({ id: stringId, list: { errors: { 409: true }, run: () => [] } });

// A codec may have a schema of its strings.
export const evenId: IdCodec<number> = { ...integerId, schema: { type: 'integer', multipleOf: 2 } };
defineEndpoint({ id: evenId, get: (id) => same<typeof id, number>(true) });
// @ts-expect-error a schema is an object
export const noCodec: IdCodec<number> = { ...integerId, schema: 'integer' };

const jsonSchema: SchemaConverter = (decoder, side) => {
  same<typeof side, 'input' | 'output'>(true);
  return typeof decoder === 'function' ? { title: side } : undefined;
};
new ApiServer('', { jsonSchema });
const document = openApi(server, { info, servers: [{ url: '/' }], tags: [{ name: 'pets' }] });
same<typeof document, OpenApiDocument>(true);
same<(typeof document.paths)[string][string], OperationObject | undefined extends infer O ? Extract<O, OperationObject> : never>(true);
export const handler: MountHandler = openApiHandler(server, { info });

// The operations that it describes.
openApi(server, { info, include: ({ method, path, operationId, tags }) => same<typeof tags, readonly string[]>(true) && [method, path, operationId].includes('GET') });
// @ts-expect-error a promise would be any operation
openApi(server, { info, include: async () => true });

// A last change.
openApi(server, { info, transform: (made) => ({ ...made, info: { ...made.info, title: 'Pets' }, 'x-logo': '/logo.svg' }) });
openApi(server, { info, transform: (made) => (same<typeof made, OpenApiDocument>(true), made) });
server.mount('/docs', swaggerUiHandler({ url: '/openapi.json', assets: new URL('file:///assets') }));
// @ts-expect-error the page needs its files
swaggerUiHandler({ url: '/openapi.json' });
// @ts-expect-error transform returns the document
openApi(server, { info, transform: () => {} });
// @ts-expect-error transform is synchronous
openApi(server, { info, transform: async (made) => made });
// @ts-expect-error a schema is not a name
openApi(server, { info, problem: 'Problem' });
server.mount('/openapi.json', openApiHandler(server, { info }));
export const options: OpenApiOptions = { info: { ...info, 'x-logo': { url: '/logo.svg' } } };

// @ts-expect-error a document needs a title and a version
openApi(server, { info: { title: 'Zoo' } });
// @ts-expect-error a misspelt option
openApi(server, { info, tag: [] });
// @ts-expect-error a server, and no endpoint
openApi(pets, { info });
// Webhooks have any decoder; what is sent is not made by the document.
openApi(server, { info, webhooks: { 'pet.created': { schema: petSchema, tags: ['pets'] }, left: { schema: decodePet } } });
same<OpenApiDocument['webhooks'], Readonly<Record<string, PathItem>> | undefined>(true);
// @ts-expect-error a webhook has a schema
openApi(server, { info, webhooks: { 'pet.created': {} } });
// @ts-expect-error a misspelt option
openApi(server, { info, webhooks: { 'pet.created': { schema: petSchema, sumary: 'x' } } });

// An operation or an endpoint that documents leave out.
server.registerEndpoint('/hidden', defineEndpoint({ hidden: true, get: { hidden: false, run: () => 1 }, custom: { count: { hidden: true, run: () => 1 } } }));
// @ts-expect-error true or false
defineEndpoint({ get: { hidden: 'yes', run: () => 1 } });
// @ts-expect-error true or false
defineEndpoint({ hidden: 1, get: () => 1 });
