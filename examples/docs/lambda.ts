import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiServer, defineEndpoint, integerId, stringId } from 'restpoint';

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: (json: unknown) => ({ name: String(Object(json).name) }),
    create: () => 2,
    get: (id) => ({ id, name: 'Rex' }),
  }),
  '/file': defineEndpoint({ id: stringId, get: (name) => ({ name }) }),
});

export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const { rawPath, rawQueryString, cookies = [], body, isBase64Encoded, requestContext: { domainName, http: { method } } } = event;
  const headers = new Headers(event.headers as Record<string, string>);
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  const path = domainName.includes('.lambda-url.') ? rawPath : encodeURI(rawPath).replace(/[?#]/g, encodeURIComponent);
  const response = await server.fetch(`https://${domainName}${path}?${rawQueryString}`, {
    method,
    headers,
    ...(hasBody && { body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }),
  });
  const { 'set-cookie': _, ...fields } = Object.fromEntries(response.headers);
  return {
    statusCode: response.status,
    headers: fields,
    cookies: response.headers.getSetCookie(),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
    isBase64Encoded: true,
  };
}
