export type { OperationObject } from './describe.ts';
export { openApi, type OpenApiDocument, type PathItem } from './open-api.ts';
export { openApiHandler, type OpenApiHandler } from './handler.ts';
export type { OpenApiInfo, OpenApiOptions, OpenApiServerObject, OpenApiServerVariable, OpenApiTag } from './options.ts';
export { referencePage, type ReferencePage, type ReferencePageOptions } from './reference-page.ts';
export type { SchemaSource, Side } from './schemas/conversion.ts';
