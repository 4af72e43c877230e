export type { OperationObject } from './describe.ts';
export { openApi, type OpenApiDocument, type PathItem } from './open-api.ts';
export { openApiHandler, type OpenApiHandler } from './handler.ts';
export type { OpenApiInfo, OpenApiOptions, OpenApiServerObject, OpenApiServerVariable, OpenApiTag, OpenApiWebhook } from './options.ts';
export { swaggerUiHandler, type SwaggerUiHandler, type SwaggerUiOptions } from './swagger-ui-handler.ts';
export type { SchemaConverter, DecoderSide } from './schemas/conversion.ts';
