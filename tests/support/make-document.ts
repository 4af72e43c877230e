/** Documents of servers that are declared for one test, and schemas that have a JSON Schema. */
import { ApiServer, type ApiServerOptions, type StandardSchemaV1 } from '../../src/index.ts';
import { openApi, type OpenApiDocument, type OpenApiOptions, type OperationObject } from '../../src/openapi/index.ts';

export const INFO = { title: 'Zoo', version: '1' };

export interface DocumentOptions extends Partial<OpenApiOptions> {
  readonly root?: string;
  readonly server?: ApiServerOptions;
  /** Gets what the server logs. Without it, a schema that fails is an error. */
  readonly problems?: string[];
}

/** The document of a server. */
export function makeDocument(declare: (server: ApiServer) => void, describing: DocumentOptions = {}): OpenApiDocument {
  const { root = '/v1', server: serverOptions, problems, ...options } = describing;
  const logged: string[] = problems ?? [];
  const server = new ApiServer(root, { logger: { info: () => {}, error: ({ message }) => logged.push(message) }, ...serverOptions });
  declare(server);
  const document = openApi(server, { info: INFO, ...options });
  if (problems === undefined && logged.length > 0) throw new Error(logged.join());
  return document;
}

/** Stands for any operation. Its type has no result, which fits all of them. */
export function run(): never {
  throw new Error('documents call no operation');
}

/** The operation with an id. */
export function findOperation(document: OpenApiDocument, operationId: string): OperationObject {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const found = operations.find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`no ${operationId} among ${operations.map((operation) => operation.operationId).join(', ')}`);
  return found;
}

/** The ids of all operations, in the order of the document. */
export function listOperationIds({ paths }: OpenApiDocument): string[] {
  return Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
}

/** A Standard JSON Schema that accepts everything, as those of libraries are made. */
export function makeJsonSchema(input: unknown, output: unknown = input): StandardSchemaV1<any, any> {
  const jsonSchema = { input: () => sent(input), output: () => sent(output) };
  return { '~standard': { version: 1, vendor: 'tests', validate: (value: unknown) => ({ value }), jsonSchema } } as StandardSchemaV1<any, any>;
}

/** An error is thrown. */
function sent(schema: unknown): unknown {
  if (schema instanceof Error) throw schema;
  return schema;
}
