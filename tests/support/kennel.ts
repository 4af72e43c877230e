/** Endpoints with versioned items: a store of two pets that notes which of the user's functions were called. */
import { ApiError, type ApiServer } from '../../src/index.ts';
import { stringId } from '../../src/declaration/id-codec.ts';

export interface Pet {
  readonly name: string;
  readonly revision: number | string;
}

/** Every kind of operation on an item. `rex` has the version 5, `ghost` is missing, and `lost` is reported as missing. */
export class Kennel {
  readonly calls: string[] = [];

  /** The properties of an endpoint. */
  readonly properties = {
    id: stringId,
    schema: (json: unknown): Pet => json as Pet,
    get: (id: string): Pet | undefined => {
      this.calls.push(`get ${id}`);
      if (id === 'lost') throw ApiError.notFound();
      return id === 'ghost' ? undefined : { name: id, revision: 5 };
    },
    update: (id: string): void => void this.calls.push(`update ${id}`),
    patch: { input: (json: unknown): unknown => json, run: (id: string): void => void this.calls.push(`patch ${id}`) },
    delete: (id: string): void => void this.calls.push(`delete ${id}`),
    itemCustom: { feed: (id: string): number => this.calls.push(`feed ${id}`) },
  } as const;

  /** Registers them with further properties. */
  declare(properties: object): (server: ApiServer) => void {
    return (server) => server.registerEndpoint('/pet', { ...this.properties, ...properties } as typeof this.properties);
  }
}

export const version = ({ revision }: Pet): number | string => revision;

/** The requests that change an item: the name of the operation, the method, what follows the id, and a body. */
export const CHANGES = [
  ['update', 'PUT', '', '{}'],
  ['patch', 'PATCH', '', '{}'],
  ['delete', 'DELETE', '', ''],
  ['feed', 'POST', '/feed', ''],
] as const;
