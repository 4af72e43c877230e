export type {
  Authenticates, Authentication, AuthenticationOptions, NotVerified, ScopedAuthentication, Security, SecurityScheme, Verified,
} from './authentication.ts';
export { anyone } from './authentication.ts';
export type { ProtectedResource } from '../http/protected-resource.ts';
export { bearer, type BearerOptions } from './bearer.ts';
export { cookie } from './cookie.ts';
export { apiKey, basic, firstOf, secretsEqual } from './schemes.ts';
