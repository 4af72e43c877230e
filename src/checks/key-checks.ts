/** A request that is repeated with its `Idempotency-Key` is done once, and has the first answer. */
import { type Check, checkOf, type Tools } from './check.ts';
import { KEY_FIELD } from './places.ts';
import { itemFor } from './read-checks.ts';
import { failure, type Parts } from './requests.ts';
import { interceptedNames, type Subject, takesJson } from './subject.ts';
import { whyUnwritten } from './write-checks.ts';

/** Those of each operation with `idempotent`. */
export function keyChecks(tools: Tools): Check[] {
  return tools.subjects.filter((subject) => interceptedNames(subject, 'headers').includes(KEY_FIELD)).flatMap((subject) => {
    const missing = whyUnwritten(tools, subject);
    const claim = tools.observations.claimOf(subject);
    return [
      checkOf(`${subject.route}: a repeated ${KEY_FIELD} -> the first answer again${claim}`, missing, () => checkRepeated(tools, subject)),
      ...(takesJson(subject) ? [
        checkOf(`${subject.route}: another body with the same ${KEY_FIELD} -> 422${claim}`, missing, () => checkOther(tools, subject)),
      ] : []),
    ];
  });
}

async function checkRepeated(tools: Tools, subject: Subject): Promise<void> {
  const { requests, observations } = tools;
  const { path, parts } = await keyedRequest(tools, subject);
  const first = await requests.call(subject, path, parts);
  if (first.status >= 400) throw failure(first, 'success for the sample', subject);
  const before = await observations.observe(subject, path);
  const second = await requests.call(subject, path, parts);
  const isSame = second.status === first.status && second.body.equals(first.body);
  if (!isSame) throw failure(second, `${first.status} with the body of the first answer`, subject);
  if (second.headers['idempotent-replayed'] !== 'true') throw failure(second, 'Idempotent-Replayed: true', subject);
  await observations.expectUnchanged(before, subject, path, second);
}

async function checkOther(tools: Tools, subject: Subject): Promise<void> {
  const { requests, observations } = tools;
  const { path, parts } = await keyedRequest(tools, subject);
  await requests.call(subject, path, parts);
  const before = await observations.observe(subject, path);
  // White space makes it another body with the same value.
  const other = await requests.call(subject, path, { ...parts, body: Buffer.concat([parts.body ?? Buffer.alloc(0), Buffer.from(' ')]) });
  if (other.status !== 422) throw failure(other, '422', subject);
  await observations.expectUnchanged(before, subject, path, other);
}

/** A request that can be sent again as it is: a sample that is a function gives another body each time. */
async function keyedRequest(tools: Tools, subject: Subject): Promise<{ readonly path: string; readonly parts: Parts }> {
  const path = await itemFor(tools, subject);
  const parts = await tools.places.partsOf(subject);
  return { path, parts: { ...parts, fields: { ...parts.fields, [KEY_FIELD]: crypto.randomUUID() } } };
}
