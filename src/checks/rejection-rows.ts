/**
 * The server rejects bodies that their schemas reject, and callers without credentials or without a scope. Such requests change nothing.
 */
import { type AnyRow, reached, row, type Tools } from './row.ts';
import { explainForbidden, type Subject, takesForm, takesJson } from './subject.ts';

/** A body that its schema rejects. */
interface RejectedBody {
  readonly what: string;
  readonly type: string;
  /** `undefined` if none is known. */
  readonly body?: string;
}

const WRONG: readonly unknown[] = [null, 'text', 0, [], {}];
const FORM_TYPE = 'multipart/form-data; boundary=form';

function findRejectedBody(subject: Subject, { requests }: Tools): RejectedBody | undefined {
  const { validationStatus } = subject.operation.endpoint.defaults;
  const what = (body: string): string => `${body}, which its schema rejects -> ${validationStatus}`;
  if (takesForm(subject)) {
    const isRejected = requests.findEmptyFormIssue(subject) !== undefined;
    return isRejected ? { what: what('an empty form'), type: FORM_TYPE, body: '--form--' } : undefined;
  }
  if (!takesJson(subject)) return undefined;
  const type = String(subject.operation.bodyTypes[0]);
  const wrong = WRONG.find((value) => requests.findBodyIssue(subject, value) !== undefined);
  if (wrong === undefined) return { what: 'a value that its schema rejects', type };
  const body = JSON.stringify(wrong);
  return { what: what(body), type, body };
}

export const REJECTIONS: readonly AnyRow[] = [
  row<RejectedBody>({
    rules: 'B8 F13', find: findRejectedBody,
    what: ({ route }, { what }) => `${route}: ${what}`,
    keeps: ({ body }) => body !== undefined,
    // Even without a valid body.
    needs: [
      explainForbidden, (subject, { requests }) => requests.explainCredentials(subject), reached,
      (_, __, { body }) => (body === undefined ? 'it has no JSON Schema that rejects one' : undefined),
    ],
    verify: (probe, { type, body = '' }) => {
      return probe.reject(probe.subject.operation.endpoint.defaults.validationStatus, { type, body: Buffer.from(body) });
    },
  }),
  row({
    rules: 'O11 Q4',
    // An empty requirement means that credentials are optional.
    find: ({ operation, isCallable, described: { security }, credentials }) => {
      return operation.context !== undefined && isCallable && (security === undefined || credentials.length > 0);
    },
    what: ({ route }) => `${route} without credentials -> 401`,
    keeps: () => true, needs: [secured, reached],
    verify: (probe) => probe.reject(401, { credentials: {} }),
  }),
  row({
    rules: 'Q5', find: ({ operation: { context, scopes }, isCallable }) => context !== undefined && isCallable && scopes.length > 0,
    what: ({ route, operation: { scopes } }) => `${route} without ${scopes.join(', ')} -> 403`,
    keeps: () => true, needs: [(_, { options }) => (options.unscoped === undefined ? 'no options.unscoped' : undefined), secured, reached],
    verify: (probe) => probe.reject(403, { credentials: probe.tools.options.unscoped ?? {} }),
  }),
];

function secured({ operation: { context } }: Subject): string | undefined {
  return context?.security === undefined ? 'its context has no security' : undefined;
}
