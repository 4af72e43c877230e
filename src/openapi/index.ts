export type {
  OpenApiDocument, OpenApiInfo, OpenApiServerObject, OpenApiServerVariable, OpenApiTag, OperationObject, PathItem,
} from './document.ts';
export { openApi } from './open-api.ts';
export { openApiHandler, type OpenApiHandler } from './open-api-handler.ts';
export type { OpenApiOperation, OpenApiOptions, OpenApiWebhook } from './open-api-options.ts';
export { swaggerUiHandler, type SwaggerUiHandler, type SwaggerUiOptions } from './swagger-ui-handler.ts';
