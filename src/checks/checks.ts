/**
 * Checks that follow from the declarations of a server, for any test runner:
 *
 *   for (const { name, run } of checks(server, { samples, headers })) test(name, run);
 *
 * Requests reach the server without a port, through its `fetch`. They create, change and delete items: use a store for tests.
 */
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { SubjectItems } from './items.ts';
import { CHECKS_OPTIONS, type ChecksOptions } from './checks-options.ts';
import { CROWDS, RACES } from './race-rows.ts';
import { PAGES, READS } from './read-rows.ts';
import { REJECTIONS } from './rejection-rows.ts';
import { type PathFetch, Requests } from './requests.ts';
import type { Check, Tools } from './row.ts';
import { STRANGERS } from './stranger-rows.ts';
import { listSubjects } from './subject.ts';
import { KEYS, VERSIONS, WRITES } from './write-rows.ts';

const TABLES = [READS, PAGES, WRITES, VERSIONS, KEYS, REJECTIONS, STRANGERS];

/** A server that can be called without a port: an `ApiServer`. */
export interface CheckedServer extends DescribedServer {
  /** Responds to a request without a socket. */
  readonly fetch: PathFetch;
}

/**
 * Makes the checks of all operations that are registered. A check that lacks a sample or credentials is in the list, too: its name begins
 * with `skipped:`, and it does nothing.
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 *
 * for (const { name, run } of checks(server, { headers: { authorization: 'Bearer secret' } })) test(name, run);
 * ```
 * @throws `TypeError` for an invalid option, and for registrations that `openApi` rejects.
 */
export function checks(server: CheckedServer, options: ChecksOptions = {}): Check[] {
  const checked = CHECKS_OPTIONS.check(options, 'options');
  const { subjects, components } = listSubjects(server, checked);
  const requests = new Requests(server.fetch, components, checked);
  const tools: Tools = { subjects, requests, items: new SubjectItems(subjects, requests), options: checked };
  const tables = checked.concurrency === 0 ? TABLES : [...TABLES, RACES, CROWDS];
  return tables.flatMap((rows) => subjects.flatMap((subject) => rows.flatMap((makeChecks) => makeChecks(subject, tools))));
}
