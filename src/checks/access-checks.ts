/** Callers without credentials, and those without a scope, are refused before anything is done. */
import { type Check, checkOf, type Tools } from './check.ts';
import { itemFor } from './read-checks.ts';
import { failure } from './requests.ts';
import type { Subject } from './subject.ts';

/** `unscoped`: the credentials of a caller without any scope. */
export function accessChecks(tools: Tools, unscoped: Readonly<Record<string, string>> | undefined): Check[] {
  return tools.subjects.filter(({ operation, isCallable }) => operation.context !== undefined && isCallable).flatMap((subject) => {
    const { operation: { scopes, context }, route, described: { security } } = subject;
    const isOptional = security !== undefined && subject.credentials.length === 0;
    const missing = context?.security === undefined ? 'its context has no security' : tools.places.whyUnreached(subject);
    const claim = tools.observations.claimOf(subject);
    const whyScoped = unscoped === undefined ? 'no options.unscoped' : missing;
    return [
      ...(isOptional ? [] : [checkOf(`${route} without credentials -> 401${claim}`, missing, () => checkRefused(tools, subject, 401, {}))]),
      ...(scopes.length === 0 ? [] : [
        checkOf(`${route} without ${scopes.join(', ')} -> 403${claim}`, whyScoped, () => checkRefused(tools, subject, 403, unscoped ?? {})),
      ]),
    ];
  });
}

async function checkRefused(tools: Tools, subject: Subject, status: number, credentials: Readonly<Record<string, string>>): Promise<void> {
  const { places, requests, observations } = tools;
  const path = await itemFor(tools, subject);
  const before = await observations.observe(subject, path);
  const answer = await requests.call(subject, path, { ...(places.whyUncalled(subject) === undefined ? await places.partsOf(subject) : {}), credentials });
  if (answer.status !== status) throw failure(answer, String(status), subject);
  await observations.expectUnchanged(before, subject, path, answer);
}
