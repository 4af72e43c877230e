export type { Authenticates, Authentication, AuthenticationOptions, NotVerified, Security, SecurityScheme } from './authentication.ts';
export { apiKey, basic, bearer } from './schemes.ts';
export { secretsEqual } from './secrets-equal.ts';
