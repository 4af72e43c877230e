/**
 * The OpenAPI document of the release before, compared with this one: what it allowed is still accepted, what is sent still fits it, and nothing
 * has gone. Values at the bounds of one schema are tried on the other.
 */
import { type JsonSchema, MAX_KEYWORD } from '../endpoint/json-schema.ts';
import type { MediaType } from '../openapi/content.ts';
import type { Components, OpenApiDocument, OperationObject, SecurityRequirements } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { isSame } from '../openapi/plain-json.ts';
import type { Response } from '../openapi/responses.ts';
import { fillTemplate } from '../router/pattern.ts';
import { findMedia, KeptDocument } from './kept-document.ts';
import { called, type Check, row, type Tools } from './row.ts';
import type { Subject } from './subject.ts';
import { listValid } from './valid-values.ts';

const METHODS: readonly string[] = ['get', 'query', 'post', 'put', 'patch', 'delete'];

/** An operation of the release before. */
interface Former {
  readonly method: string;
  readonly path: string;
  readonly object: OperationObject;
}

/** Makes a check for each operation of the release before, and one more of the response to its sample. */
export function previousChecks(tools: Tools, components: Components): Check[] {
  const { subjects, options: { previous, openEnums } } = tools;
  if (previous === undefined) return [];
  const documents = new Releases(previous, { components }, openEnums);
  const operations = Object.entries(previous.paths).flatMap(([path, item]) => Object.entries(item).flatMap(([method, object]): Former[] => {
    return METHODS.includes(method) ? [{ method: method.toUpperCase(), path, object }] : [];
  }));
  const makeChecks = row<Former>({
    rules: 'Y10', find: (subject) => operations.find((former) => isOf(former, subject)),
    what: ({ route }) => `${route}: the response is as the previous document says`,
    needs: [called],
    verify: async (probe, { object }) => {
      const response = await probe.call();
      const issue = documents.open.findIssue(response, object.responses);
      probe.expect(issue === undefined, response, `${issue} (the previous document)`);
    },
  });
  const compared = operations.map((former): Check => ({
    name: `${former.method} ${former.path}: clients of the previous document can still call it`, rules: ['Y10'], isSkipped: false,
    run: async () => {
      const subject = subjects.find((each) => isOf(former, each));
      const issues = subject === undefined ? ['it is gone'] : [...documents.listBroken(former.object, subject.described)];
      if (issues.length > 0) throw new Error(`${former.method} ${former.path} breaks clients of the previous document: ${issues.join('; ')} (${former.object.operationId})`);
    },
  }));
  return [...compared, ...subjects.flatMap((subject) => makeChecks(subject, tools))];
}

/** Whether a subject is at a path of a document. The names of parameters make no difference. */
function isOf({ method, path }: Former, subject: Subject): boolean {
  return subject.method === method && fillTemplate(subject.path, () => '{}') === path.replace(/\{[^{}]*\}/g, '{}');
}

/** The documents of two releases. */
class Releases {
  readonly #old: KeptDocument;
  readonly #now: KeptDocument;
  /** The old document as clients read responses: there can be more than it says. */
  readonly open: KeptDocument;
  // All operations refer to the same responses of errors.
  readonly #responses = new Map<Response, readonly [before: Response, issues: readonly string[]]>();

  constructor(old: OpenApiDocument, now: { readonly components: Components }, openEnums: boolean) {
    this.#old = new KeptDocument(old, { hasFormats: true });
    this.open = new KeptDocument(old, { hasFormats: true, isOpen: true, openEnums });
    this.#now = new KeptDocument(now, { hasFormats: true });
  }

  /** Lists what clients of the release before rely on, and the new one does not keep. */
  * listBroken(before: OperationObject, after: OperationObject): Generator<string> {
    yield* this.#listLostCredentials(before.security ?? [], after.security ?? []);
    yield* this.#listBrokenParameters(before, after);
    if (after.requestBody?.required === true && before.requestBody?.required !== true) yield 'a body is required now';
    for (const [type, media] of Object.entries(before.requestBody?.content ?? {})) {
      const [, other] = findMedia(after.requestBody?.content ?? {}, type) ?? [];
      if (other === undefined) yield `a body of ${type} is not accepted any more`;
      else yield* this.#listRejected('the body', readSchema(media), readSchema(other));
    }
    for (const [status, each] of Object.entries(after.responses)) {
      const { [status]: declared } = before.responses;
      if (declared !== undefined) yield* this.#listUnexpected(this.#old.resolve(declared) as Response, this.#now.resolve(each) as Response).map((issue) => `${status} ${issue}`);
      else if (/^[23]/.test(status) && status !== '304') yield `the status ${status} is new`;
    }
  }

  /** The credentials of each caller who was admitted must still be enough. */
  * #listLostCredentials(before: SecurityRequirements, after: SecurityRequirements): Generator<string> {
    const readScheme = (document: KeptDocument, name: string): unknown => {
      const { description: _, ...scheme } = Object(document.resolve({ $ref: `#/components/securitySchemes/${name}` })) as Readonly<Record<string, unknown>>;
      return scheme;
    };
    for (const own of before.length === 0 ? [{}] : before) {
      const isEnough = after.some((needed) => Object.entries(needed).every(([name, scopes]) => (
        scopes.every((scope) => own[name]?.includes(scope)) && name in own && isSame(readScheme(this.#old, name), readScheme(this.#now, name))
      )));
      if (after.length > 0 && !isEnough) yield `the credentials ${format(own)} are not enough any more`;
    }
  }

  * #listBrokenParameters(old: OperationObject, now: OperationObject): Generator<string> {
    const [before, after] = [readParameters(old, this.#old), readParameters(now, this.#now)];
    for (const [key, { in: where, name, required }] of after) {
      if (required === true && where !== 'path' && before.get(key)?.required !== true) yield `${where} parameter ${name} is required now`;
    }
    for (const [key, { in: where, name, schema }] of before) {
      const other = after.get(key);
      if (other === undefined) yield `${where} parameter ${name} is gone`;
      else yield* this.#listRejected(`${where} parameter ${name}`, schema, other.schema, true);
    }
  }

  /** A value that was accepted must still be, and one that is left out must mean the same. Parameters are strings on the wire. */
  * #listRejected(what: string, before: unknown, after: unknown, isString = false): Generator<string> {
    if (this.#isUnchanged(before, after)) return;
    const findIssue = (value: unknown): string | undefined => this.#now.validator.findIssue(value, after);
    const value = listValid(before, this.#old.validator).find((each) => findIssue(each) !== undefined && !(isString && findIssue(String(each)) === undefined));
    if (value !== undefined) yield `${what} cannot be ${format(value)} any more: ${findIssue(value)}`;
    yield* this.#listChanged(what, before, after);
  }

  /** Compares what a schema says of a value and of its properties and does not reject: the default, and the maximum of pages. */
  * #listChanged(at: string, before: unknown, after: unknown, around: readonly unknown[] = []): Generator<string> {
    const read = ({ validator }: KeptDocument, schema: unknown): JsonSchema => Object.assign({}, ...validator.listReadings(schema).flat().toReversed()) as JsonSchema;
    const [{ default: usual, [MAX_KEYWORD]: most }, { default: other, [MAX_KEYWORD]: less }] = [read(this.#old, before), read(this.#now, after)];
    if (usual !== undefined && !isSame(usual, other)) yield `${at} is ${format(other)} if it is left out, not ${format(usual)}`;
    if (Number(most) > Number(less)) yield `${at} counts as ${format(less)} if it is more, not as ${format(most)}`;
    const properties = this.#now.validator.listProperties(after);
    for (const [name, part] of Object.entries(this.#old.validator.listProperties(before))) {
      if (Object.hasOwn(properties, name) && !around.includes(part)) yield* this.#listChanged(`${name} of ${at}`, part, properties[name], [...around, part]);
    }
  }

  /** What is sent must be what a client of the release before expects. */
  #listUnexpected(before: Response, after: Response): readonly string[] {
    const [known, issues] = this.#responses.get(after) ?? [];
    if (issues !== undefined && known === before) return issues;
    const { content: own = {}, headers = {} } = before;
    const listed = [
      ...Object.entries(headers).flatMap(([name, header]) => {
        const other = after.headers?.[name] ?? {};
        if ('required' in header && !('required' in other)) return `can be without the header ${name} now`;
        return 'schema' in header && 'schema' in other ? this.#listNew(`have the header ${name}:`, header.schema, other.schema) : [];
      }),
      ...Object.entries(after.content ?? {}).flatMap(([type, media]) => {
        const [, old] = findMedia(own, type) ?? [];
        return old === undefined ? `can have the media type ${type} now` : this.#listNew('be', readSchema(old), readSchema(media));
      }),
      ...(before.content !== undefined && after.content === undefined ? ['has no body any more'] : []),
    ];
    this.#responses.set(after, [before, listed]);
    return listed;
  }

  #listNew(what: string, before: unknown, after: unknown): string[] {
    if (this.#isUnchanged(before, after)) return [];
    const findIssue = (value: unknown): string | undefined => this.open.validator.findIssue(value, before);
    const value = listValid(after, this.#now.validator).find((each) => findIssue(each) !== undefined);
    return value === undefined ? [] : [`can ${what} ${format(value)} now: ${findIssue(value)}`];
  }

  /** Whether two schemas are the same, and all that they refer to. */
  #isUnchanged(before: unknown, after: unknown): boolean {
    const pointers = new Set<string>();
    const add = (part: unknown): void => {
      for (const [, pointer = ''] of JSON.stringify(part ?? {}).matchAll(/"\$ref":("[^"]*")/g)) pointers.add(JSON.parse(pointer) as string);
    };
    add(after);
    // The loop also visits what it adds.
    for (const $ref of pointers) add(this.#now.resolve({ $ref }));
    return isSame(before, after) && [...pointers].every(($ref) => isSame(this.#old.resolve({ $ref }), this.#now.resolve({ $ref })));
  }
}

/** Reads the parameters by their names in lower case, and those of the path by their order: their names are not sent. */
function readParameters({ parameters = [] }: OperationObject, document: KeptDocument): Map<string, Parameter> {
  let segments = 0;
  return new Map(parameters.map((each) => {
    const parameter = document.resolve(each) as Parameter;
    return [`${parameter.in} ${parameter.in === 'path' ? segments += 1 : parameter.name.toLowerCase()}`, parameter];
  }));
}

function readSchema({ schema, itemSchema }: MediaType): unknown {
  return schema ?? itemSchema;
}

const SHOWN = 100;

function format(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > SHOWN ? `${json.slice(0, SHOWN)}…` : json;
}
