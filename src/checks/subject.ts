/** The operations that are checked, each with its part of the document and with the user's sample. */
import { describe } from '../openapi/describe.ts';
import type { Components, OperationObject } from '../openapi/document.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { convertDecoder } from '../endpoint/decoder-json-schema.ts';
import { formatOperation, type Operation } from '../endpoint/operation.ts';
import { parsePattern } from '../router/pattern.ts';
import type { CheckedChecksOptions, Sample, SampleMaker } from './checks-options.ts';

/** An operation that is checked. */
export interface Subject {
  readonly operation: Operation;
  readonly operationId: string;
  readonly method: string;
  /** Its path, with its parameters. */
  readonly path: string;
  /** `GET /v1/pet/:id`. */
  readonly route: string;
  readonly described: OperationObject;
  readonly sample: Sample;
  /** Makes a sample for each request. Then `sample` is empty, since its content is not known in advance. */
  readonly makeSample: SampleMaker | undefined;
  /** Whether the user has a sample. */
  readonly isSampled: boolean;
  /** Whether the checks may call it. */
  readonly isCallable: boolean;
  /** The headers with credentials that a caller must send. Empty if anyone may call it, or if its context does not say. */
  readonly credentials: readonly string[];
}

/**
 * Lists the operations of a server, with the components of its document. Throws `TypeError` for a sample without an operation, and as
 * `openApi` does.
 */
export function listSubjects(
  server: DescribedServer, { samples, strangers }: CheckedChecksOptions,
): { readonly subjects: readonly Subject[]; readonly components: Components } {
  const { operations, components } = describe(server);
  const operationIds = operations.map(({ operationId }) => operationId);
  for (const [name, option] of Object.entries({ samples, strangers })) {
    const unknown = Object.keys(option).find((operationId) => !operationIds.includes(operationId));
    if (unknown === undefined) continue;
    throw new TypeError(`options.${name}.${unknown} is not an operation. The operations are ${operationIds.join(', ')}`);
  }
  const subjects = operations.map(({ operation, operationId, object, credentials }): Subject => {
    const { kind: { method }, pattern: { template: path } } = operation;
    const { [operationId]: sample } = samples;
    return {
      operation, operationId, method, path, route: `${method} ${path}`, described: object,
      sample: typeof sample === 'object' ? sample : {}, makeSample: typeof sample === 'function' ? sample : undefined,
      isSampled: sample !== undefined, isCallable: sample !== false,
      credentials: needsCredentials(object) ? credentials : [],
    };
  });
  return { subjects, components };
}

/** An empty requirement means that credentials are optional. */
function needsCredentials({ security = [] }: OperationObject): boolean {
  return security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0);
}

/** Where a subject is declared: `update of "/pet"`. */
export function formatDeclaration({ operation }: Subject): string {
  return `${formatOperation(operation)} of ${JSON.stringify(operation.endpoint.subpath)}`;
}

/** Says why the checks may not call a subject. */
export function explainForbidden({ isCallable, operationId }: Subject): string | undefined {
  return isCallable ? undefined : `samples.${operationId} is false`;
}

/** Whether the body can be one JSON value, which no other format reads. */
export function takesJson({ operation: { input, format } }: Subject): boolean {
  return input !== undefined && (format === undefined || format[' internal'].alternatives?.[0]?.[' internal'].kind === 'json');
}

/** Whether the body is a form. */
export function takesForm({ operation: { format } }: Subject): boolean {
  return format?.[' internal'].files !== undefined;
}

/**
 * Lists the query parameters or the headers that interceptors of `restpoint/interceptors` add to an operation, such as `limit` of
 * `pages`.
 */
export function listIntercepted({ operation: { interceptors = [] } }: Subject, part: 'query' | 'headers'): string[] {
  return interceptors.flatMap(({ declared: { [part]: decoder } }) => {
    const { vendor } = Object(Object(decoder)['~standard']) as { readonly vendor?: unknown };
    return vendor === 'restpoint' ? Object.keys(Object(convertDecoder(decoder, 'input').schema['properties'])) : [];
  });
}

/** Reads the shape of a path, without the slash at its end: the items of `/pet/` are at `/pet/:id`. */
export function readShape(path: string): string {
  return parsePattern(path.replace(/\/$/, '') || '/').shape;
}

/** Finds the create of the items of a collection. */
export function findCreate(subjects: readonly Subject[], path: string): Subject | undefined {
  const shape = readShape(path);
  return subjects.find(({ operation: { kind, pattern } }) => kind.result === 'id' && readShape(pattern.template) === shape);
}

/** Finds the update of what a subject is of. */
export function findUpdate(subjects: readonly Subject[], { path }: Subject): Subject | undefined {
  return subjects.find((each) => each.path === path && each.operation.kind.body === 'whole');
}

/** Finds the subject with a method at a path, whatever the names of the parameters are. */
export function findSubject(subjects: readonly Subject[], method: string, path: string): Subject | undefined {
  const shape = readShape(path);
  return subjects.find((subject) => subject.method === method && readShape(subject.path) === shape);
}
