/**
 * Checks that follow from the declarations of a server, for any test runner:
 *
 *   for (const { name, run } of checks(server, { samples, headers })) test(name, run);
 *
 * Requests reach the server without a port, through its `fetch`. They create, change and delete items: use a store for tests.
 */
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { accessChecks } from './access-checks.ts';
import type { Check } from './check.ts';
import { keyChecks } from './key-checks.ts';
import { methodChecks } from './method-checks.ts';
import { Observations } from './observations.ts';
import type { ChecksOptions } from './options.ts';
import { pageChecks } from './page-checks.ts';
import { Places } from './places.ts';
import { readChecks } from './read-checks.ts';
import { refusalChecks } from './refusal-checks.ts';
import { type Fetch, Requests } from './requests.ts';
import { subjectsOf } from './subject.ts';
import { versionChecks } from './version-checks.ts';
import { writeChecks } from './write-checks.ts';

/** A server that can be called without a port: an `ApiServer`. */
export interface CheckedServer extends DescribedServer {
  readonly fetch: Fetch;
}

/**
 * Makes the checks of all operations that are registered. What cannot be checked, for want of a sample or of credentials, is in the list
 * too: the name of such an entry begins with `not reached:`, and it checks nothing.
 *
 * Throws `TypeError` for an invalid option, and as `openApi` does.
 */
export function checks(server: CheckedServer, options: ChecksOptions = {}): Check[] {
  const { all, document } = subjectsOf(server, options);
  const requests = new Requests(server.fetch, document, options);
  const places = new Places(all, requests);
  const tools = { subjects: all, requests, places, observations: new Observations(all, requests, places) };
  return [
    ...methodChecks(tools), ...readChecks(tools), ...pageChecks(tools), ...writeChecks(tools), ...versionChecks(tools), ...keyChecks(tools),
    ...refusalChecks(tools), ...accessChecks(tools, options.unscoped),
  ];
}
