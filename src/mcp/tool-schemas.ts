/**
 * The schemas of tools. A model reads each by itself, so the components of the document are written where they are referred to. Only
 * components that refer to themselves, and large ones, stay definitions of the tool.
 */
import { isSchema, type JsonSchema, mapKeyword } from '../openapi/schemas/json-schema.ts';

type Components = Readonly<Record<string, JsonSchema>>;

const PREFIX = '#/components/schemas/';
// In characters of JSON. A schema that is written out many times can grow without a bound.
const MAX_WRITTEN = 10_000;

export class ToolSchemas {
  readonly #components: Components;
  readonly #written = new Map<string, JsonSchema | undefined>();
  readonly #open = new Set<string>();
  // Whether a component has stayed a definition.
  #hasDefinitions = false;

  constructor(components: Components) {
    this.#components = components;
  }

  /** Resolves the references of a schema to the document. */
  resolve(schema: JsonSchema): JsonSchema {
    const written = this.#write(schema);
    if (!this.#hasDefinitions) return written;
    const names = new Set<string>();
    collectNames(written, names);
    // The loop also visits what it adds.
    const definitions: Record<string, JsonSchema> = {};
    for (const name of names) {
      definitions[name] = this.#writeParts(this.#components[name] ?? {});
      collectNames(definitions[name], names);
    }
    return names.size === 0 ? written : { ...written, $defs: definitions };
  }

  /** Finds the type of a schema's values, if it states one. */
  findType({ $ref: reference, type }: JsonSchema): unknown {
    if (typeof reference !== 'string' || !reference.startsWith(PREFIX)) return type;
    return this.#components[reference.slice(PREFIX.length)]?.['type'];
  }

  #write(schema: JsonSchema): JsonSchema {
    const { $ref: reference, ...others } = schema;
    if (typeof reference !== 'string' || !reference.startsWith(PREFIX)) return this.#writeParts(schema);
    const name = reference.slice(PREFIX.length);
    const component = this.#writeComponent(name);
    const parts = this.#writeParts(others);
    if (component === undefined) return { $ref: `#/$defs/${name}`, ...parts };
    return Object.keys(parts).length === 0 ? component : { allOf: [component], ...parts };
  }

  #writeParts(schema: JsonSchema): JsonSchema {
    const write = (part: JsonSchema): JsonSchema => this.#write(part);
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, write)]));
  }

  /** `undefined` if the component must stay a definition. */
  #writeComponent(name: string): JsonSchema | undefined {
    if (this.#written.has(name)) return this.#written.get(name);
    if (this.#open.has(name)) {
      // It refers to itself.
      this.#keep(name);
      return undefined;
    }
    this.#open.add(name);
    const written = this.#writeParts(this.#components[name] ?? {});
    this.#open.delete(name);
    if (JSON.stringify(written).length > MAX_WRITTEN) this.#keep(name);
    if (!this.#written.has(name)) this.#written.set(name, written);
    return this.#written.get(name);
  }

  #keep(name: string): void {
    this.#hasDefinitions = true;
    this.#written.set(name, undefined);
  }
}

const DEFINITION = '#/$defs/';

function collectNames(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) collectNames(each, names);
  if (!isSchema(value)) return;
  const { $ref: reference } = value;
  if (typeof reference === 'string' && reference.startsWith(DEFINITION)) names.add(reference.slice(DEFINITION.length));
  for (const part of Object.values(value)) collectNames(part, names);
}
