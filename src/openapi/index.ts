export { openApi, type OpenApiDocument } from './open-api.ts';
export { openApiHandler } from './handler.ts';
export type { OpenApiInfo, OpenApiOptions, OpenApiServerObject, OpenApiTag } from './options.ts';
export type { OperationObject, PathItem } from './paths.ts';
export type { SchemaSource, Side } from './schemas/conversion.ts';
