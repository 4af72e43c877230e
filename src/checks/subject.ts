/** What is checked: the operations of a server, each with its part of the document and with the sample that the host has for it. */
import { operationIdOf, operationsOf } from '../openapi/operations.ts';
import { openApi, type OpenApiDocument } from '../openapi/open-api.ts';
import type { OperationObject } from '../openapi/paths.ts';
import { credentialFieldsOf } from '../openapi/security.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { memberOf, type Operation } from '../endpoint/operation.ts';
import { parsePattern } from '../router/pattern.ts';
import { checkOptions, type ChecksOptions, type Sample, type SampleMaker } from './options.ts';

/** An operation. */
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
  /** Makes its sample for each request. Only then is it known what that has, and `sample` is empty. */
  readonly makeSample: SampleMaker | undefined;
  /** Whether the host has a sample. */
  readonly isSampled: boolean;
  /** Whether the checks may call it. */
  readonly isCallable: boolean;
  /** The header fields with credentials that a caller must send. Empty if anyone may call it, or if its context does not say. */
  readonly credentials: readonly string[];
}

/** All operations of a server, and its document. */
export interface Subjects {
  readonly all: readonly Subject[];
  readonly document: OpenApiDocument;
}

/** Throws `TypeError` for an invalid option, and as `openApi` does. */
export function subjectsOf(server: DescribedServer, options: ChecksOptions): Subjects {
  const { samples = {}, jsonSchema } = options;
  const operations = operationsOf(server[' registered']);
  checkOptions(options, operations.map(operationIdOf));
  // Version 3.1 has no QUERY.
  const document = openApi(server, { info: { title: 'checks', version: '1' }, version: '3.2', ...(jsonSchema && { jsonSchema }) });
  const described = new Map(Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => [each.operationId, each])));
  const all = operations.map((operation): Subject => {
    const { kind: { method }, pattern: { text: path } } = operation;
    const operationId = operationIdOf(operation);
    const { [operationId]: sample } = samples;
    const object = described.get(operationId) ?? { operationId, responses: {} };
    return {
      operation, operationId, method, path, route: `${method} ${path}`, described: object,
      sample: typeof sample === 'object' ? sample : {}, makeSample: typeof sample === 'function' ? sample : undefined, isSampled: sample !== undefined, isCallable: sample !== false,
      credentials: needsCredentials(object) ? credentialFieldsOf(operation) : [],
    };
  });
  return { all, document };
}

/** An empty requirement means that credentials are optional. */
function needsCredentials({ security = [] }: OperationObject): boolean {
  return security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0);
}

/** Where a subject is declared: `update of "/pet"`. */
export function declarationOf({ operation }: Subject): string {
  return `${memberOf(operation)} of ${JSON.stringify(operation.endpoint.subpath)}`;
}

/** Whether the body is one JSON value, and no format reads it. */
export function takesJson({ operation: { input, format } }: Subject): boolean {
  return input !== undefined && format === undefined;
}

/** The names of the query parameters, or of the header fields, of an operation that are those of `restpoint/interceptors`, such as of `pages`. */
export function interceptedNames({ operation: { interceptors = [] } }: Subject, part: 'query' | 'headers'): string[] {
  return interceptors.flatMap(({ members }) => {
    const { vendor, jsonSchema } = Object(Object(members[part])['~standard']) as FieldStandard;
    return vendor === 'restpoint' ? Object.keys(Object(jsonSchema?.input()).properties) : [];
  });
}

interface FieldStandard {
  readonly vendor?: unknown;
  readonly jsonSchema?: { readonly input: () => object };
}

/** Whether requests of a subject change nothing (RFC 9110 section 9.2.1, RFC 10008). */
export function isSafe({ method }: Subject): boolean {
  return method === 'GET' || method === 'QUERY';
}

export function shapeOfPath(path: string): string {
  return parsePattern(path === '' ? '/' : path).shape;
}

/** The subject with a method at a path, whatever the parameters are called. */
export function subjectAt(subjects: readonly Subject[], method: string, path: string): Subject | undefined {
  const shape = shapeOfPath(path);
  return subjects.find((subject) => subject.method === method && subject.operation.pattern.shape === shape);
}

