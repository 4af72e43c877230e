/** Checks the members of an operation that requests do not need: documents, clients and tools read them. */
import { knownMembersOf, type Members, textFrom, textsFrom } from '../util/options.ts';

// The names of tools that all clients of the Model Context Protocol take.
const TOOL_NAME = /^[A-Za-z0-9._-]{1,128}$/;

/** Throws `TypeError` that names the wrong member. */
export function checkDescription(members: Members, path: string): void {
  const { tags = [] } = members;
  for (const name of ['summary', 'description', 'operationId']) textFrom(members[name], `${path}.${name}`);
  // Generators make names from an id.
  if (members['operationId'] === '') throw new TypeError(`${path}.operationId must not be empty`);
  textsFrom(tags, `${path}.tags`);
  checkTool(members['tool'], `${path}.tool`);
}

function checkTool(tool: unknown, path: string): void {
  if (tool === undefined || tool === true) return;
  if (typeof tool !== 'object') throw new TypeError(`${path} must be true, or an object with name or description: ${String(tool)}`);
  const { name, description } = knownMembersOf(tool, path, ['name', 'description']);
  textFrom(description, `${path}.description`);
  if (name === undefined || TOOL_NAME.test(textFrom(name, `${path}.name`) ?? '')) return;
  throw new TypeError(`${path}.name must be 1 to 128 of A-Z a-z 0-9 . _ -: ${JSON.stringify(name)}`);
}
