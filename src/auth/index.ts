export { apiKey } from './api-key.ts';
export type { Authentication, AuthenticationOptions, NotVerified, Security, SecurityScheme, Verified } from './authentication.ts';
export { basic } from './basic.ts';
export { bearer } from './bearer.ts';
export { secretsEqual } from './secrets-equal.ts';
