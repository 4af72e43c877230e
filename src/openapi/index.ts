export type { OpenApiDocument, OpenApiInfo, OpenApiServerObject, OpenApiServerVariable, OpenApiTag, OperationObject, PathItem } from './document.ts';
export { openApi } from './open-api.ts';
export { openApiHandler, type OpenApiHandler } from './handler.ts';
export type { OpenApiOptions, OpenApiWebhook } from './options.ts';
export { swaggerUiHandler, type SwaggerUiHandler, type SwaggerUiOptions } from './swagger-ui-handler.ts';
