export { apiKey } from './api-key.ts';
export type { Authenticates, Authentication, AuthenticationOptions, NotVerified, Security, SecurityScheme } from './authentication.ts';
export { basic } from './basic.ts';
export { bearer } from './bearer.ts';
export { secretsEqual } from './secrets-equal.ts';
