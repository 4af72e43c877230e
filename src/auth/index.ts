export type {
  Authenticates, Authentication, AuthenticationOptions, NotVerified, ScopedAuthentication, Security, SecurityScheme, Verified,
} from './authentication.ts';
export { apiKey, basic, bearer, firstOf, type BearerOptions } from './schemes.ts';
export { secretsEqual } from './secrets-equal.ts';
