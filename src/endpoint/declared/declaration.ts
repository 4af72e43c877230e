/** Checks a host's endpoint at registration. Each member is read once, here, and is called as a method of its object. */
import { functionFrom, type HostFunction, knownMembersOf, type Members, membersOf } from '../../errors/members.ts';
import { KINDS } from '../kinds.ts';
import { DeclaredId } from './declared-id.ts';
import { type DeclaredOperation, operationsOf } from './declared-operation.ts';

export interface Declaration {
  readonly receiver: object;
  /** `undefined` for a singleton. */
  readonly id: DeclaredId | undefined;
  /** The codecs of the parameters in the sub-path, by name. */
  readonly params: ReadonlyMap<string, DeclaredId>;
  readonly context: HostFunction | undefined;
  /** In the order of the table of kinds. */
  readonly operations: readonly DeclaredOperation[];
  readonly isNotFound: HostFunction | undefined;
  readonly errorFrom: HostFunction | undefined;
}

const KIND_MEMBERS = KINDS.map(({ member }) => member);
const MEMBERS: readonly string[] = ['id', 'params', 'context', 'name', 'schema', 'stringify', 'isNotFound', 'errorFrom', ...KIND_MEMBERS];
const PARAMETER_NAME = /^[A-Za-z_]\w*$/;

/** Checks an endpoint. Throws `TypeError` that names the wrong member. */
export function declarationOf(endpoint: unknown): Declaration {
  const receiver = knownMembersOf(endpoint, 'endpoint', MEMBERS);
  checkName(receiver['name']);
  const id = receiver['id'] === undefined ? undefined : new DeclaredId(receiver['id'], 'endpoint.id');
  const params = paramsOf(receiver, id !== undefined);
  const context = functionFrom(receiver['context'], 'endpoint.context');
  const isNotFound = functionFrom(receiver['isNotFound'], 'endpoint.isNotFound');
  const errorFrom = functionFrom(receiver['errorFrom'], 'endpoint.errorFrom');
  const operations = operationsOf(receiver, id !== undefined);
  if (operations.length === 0) throw new TypeError(`endpoint declares no operation: it needs one of ${KIND_MEMBERS.join(', ')}`);
  return { receiver, id, params, context, operations, isNotFound, errorFrom };
}

/** The name is kept by the endpoint alone, for documents. */
function checkName(name: unknown): void {
  if (name === undefined || (typeof name === 'string' && name !== '')) return;
  throw new TypeError(`endpoint.name must be a text: ${JSON.stringify(name)}`);
}

function paramsOf(receiver: Members, hasId: boolean): Map<string, DeclaredId> {
  const { params = {} } = receiver;
  const codecs = Object.entries(membersOf(params, 'endpoint.params'));
  const wrong = codecs.find(([name]) => !PARAMETER_NAME.test(name) || (hasId && name === 'id'));
  if (wrong !== undefined) throw new TypeError(`endpoint.params has a name that no parameter can have: ${JSON.stringify(wrong[0])}`);
  return new Map(codecs.map(([name, codec]) => [name, new DeclaredId(codec, `endpoint.params.${name}`, name)]));
}
