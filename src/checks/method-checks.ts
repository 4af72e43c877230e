/** Methods that are not declared at a path are refused (RFC 9110 section 15.5.6). */
import { isParameter } from '../router/pattern.ts';
import { type Check, checkOf, type Tools } from './check.ts';
import { failure } from './requests.ts';
import { shapeOfPath, type Subject } from './subject.ts';

const METHODS: readonly string[] = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** One for each path. */
export function methodChecks(tools: Tools): Check[] {
  const byPath = new Map(tools.subjects.map((subject) => [shapeOfPath(subject.path), subject]));
  return [...byPath.values()].flatMap((subject) => {
    const allowed = allowedAt(tools.subjects, subject.path);
    const others = METHODS.filter((method) => !allowed.includes(method) && method !== 'HEAD');
    const name = `${subject.path}: ${others.join(', ')} -> 405 with Allow: ${allowed.join(', ')}`;
    return others.length === 0 ? [] : [checkOf(name, undefined, () => checkMethods(tools, subject, allowed, others))];
  });
}

/** An operation at a path with a parameter in place of a literal serves that path too. */
function allowedAt(subjects: readonly Subject[], path: string): string[] {
  const segments = path.split('/');
  const serving = subjects.filter((subject) => {
    const own = subject.path.split('/');
    const hasLength = own.at(-1)?.startsWith('*') === true ? own.length <= segments.length : own.length === segments.length;
    return hasLength && own.every((segment, index) => isParameter(segment) || segment === segments[index]);
  });
  const methods = serving.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return METHODS.filter((method) => method === 'OPTIONS' || methods.includes(method));
}

async function checkMethods({ requests }: Tools, subject: Subject, allowed: readonly string[], others: readonly string[]): Promise<void> {
  const path = subject.path.replaceAll(/(?<=\/)[:*][^/]+/g, '1');
  for (const method of others) {
    const answer = await requests.send(subject, method, path);
    const { status, headers: { allow = '' } } = answer;
    const given = allow.split(',').map((each) => each.trim());
    const isRight = allowed.every((each) => given.includes(each)) && given.every((each) => allowed.includes(each));
    if (status !== 405 || !isRight) throw failure(answer, `405 with Allow: ${allowed.join(', ')}, and not ${JSON.stringify(allow)}`, subject);
  }
}
