/** A request that is repeated with its `Idempotency-Key` is done once, and gets the first response. */
import { type Check, makeCheck, type Tools } from './check.ts';
import { KEY_HEADER } from './items.ts';
import { makeItem } from './read-checks.ts';
import { makeFailure, type Parts } from './requests.ts';
import { listIntercepted, type Subject, takesJson } from './subject.ts';
import { explainUnwritten } from './write-checks.ts';

/** Makes the checks of operations with `idempotent`. */
export function keyChecks(tools: Tools): Check[] {
  return tools.subjects.filter((subject) => listIntercepted(subject, 'headers').includes(KEY_HEADER)).flatMap((subject) => {
    const { route } = subject;
    const missing = explainUnwritten(tools, subject);
    const claim = tools.observations.makeClaim(subject);
    return [
      makeCheck(`${route}: a repeated ${KEY_HEADER} -> the first response again${claim}`, missing, () => checkRepeated(tools, subject)),
      ...(takesJson(subject) ? [
        makeCheck(`${route}: a different body with the same ${KEY_HEADER} -> 422${claim}`, missing, () => checkOther(tools, subject)),
      ] : []),
    ];
  });
}

async function checkRepeated(tools: Tools, subject: Subject): Promise<void> {
  const { requests, observations } = tools;
  const { path, parts } = await keyedRequest(tools, subject);
  const first = await requests.call(subject, path, parts);
  if (first.status >= 400) throw makeFailure(first, 'success for the sample', subject);
  const before = await observations.observe(subject, path);
  const second = await requests.call(subject, path, parts);
  const isSame = second.status === first.status && second.body.equals(first.body);
  if (!isSame) throw makeFailure(second, `${first.status} with the body of the first response`, subject);
  if (second.headers['idempotent-replayed'] !== 'true') throw makeFailure(second, 'Idempotent-Replayed: true', subject);
  await observations.expectUnchanged(before, subject, path, second);
}

async function checkOther(tools: Tools, subject: Subject): Promise<void> {
  const { requests, observations } = tools;
  const { path, parts } = await keyedRequest(tools, subject);
  await requests.call(subject, path, parts);
  const before = await observations.observe(subject, path);
  // White space makes it a different body with the same value.
  const other = await requests.call(subject, path, { ...parts, body: Buffer.concat([parts.body ?? Buffer.alloc(0), Buffer.from(' ')]) });
  if (other.status !== 422) throw makeFailure(other, '422', subject);
  await observations.expectUnchanged(before, subject, path, other);
}

/** A request that can be sent again as it is: a sample that is a function makes a new body each time. */
async function keyedRequest(tools: Tools, subject: Subject): Promise<{ readonly path: string; readonly parts: Parts }> {
  const path = await makeItem(tools, subject);
  const parts = await tools.items.makeParts(subject);
  return { path, parts: { ...parts, headers: { ...parts.headers, [KEY_HEADER]: crypto.randomUUID() } } };
}
