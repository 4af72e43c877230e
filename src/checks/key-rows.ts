/** A request that is repeated with its `Idempotency-Key` is done once, and gets the first response again. */
import { KEY_HEADER } from './items.ts';
import { type AnyRow, only, row } from './row.ts';
import { listIntercepted, type Subject, takesJson } from './subject.ts';

export function takesKey(subject: Subject): boolean {
  return listIntercepted(subject, 'headers').some((name) => name.toLowerCase() === KEY_HEADER);
}

export const KEYS: readonly AnyRow[] = [
  row({
    rules: 'K1', find: (subject) => only(takesKey(subject)),
    what: ({ route }) => `${route}: a repeated Idempotency-Key -> the first response again`,
    keeps: () => true,
    verify: async (probe) => {
      const headers = { [KEY_HEADER]: crypto.randomUUID() };
      const first = await probe.succeed('success for the sample', { headers });
      await probe.keep(async () => {
        const second = await probe.call({ headers });
        const isSame = second.status === first.status && second.body.equals(first.body);
        probe.expect(isSame, second, `${first.status} with the body of the first response`);
        return probe.expect(second.headers['idempotent-replayed'] === 'true', second, 'Idempotent-Replayed: true');
      });
    },
  }),
  row({
    rules: 'K3', find: (subject) => only(takesKey(subject) && takesJson(subject)),
    what: ({ route }) => `${route}: a different body with the same Idempotency-Key -> 422`,
    keeps: () => true,
    verify: async (probe) => {
      const headers = { [KEY_HEADER]: crypto.randomUUID() };
      await probe.call({ headers });
      const { body = Buffer.alloc(0) } = await probe.partsOf();
      // White space makes it a different body with the same value.
      await probe.reject(422, { headers, body: Buffer.concat([body, Buffer.from(' ')]) });
    },
  }),
];
