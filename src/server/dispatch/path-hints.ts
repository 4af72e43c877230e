/**
 * Hints in the log at a 404, for a path that is similar to the path of an endpoint:
 *
 *   /pet/7               ->   did you mean /v1/pet/:id?   without the root of the server
 *   /v1/Pets, /v1/pet/   ->   did you mean /v1/pet?       in the plural, in other capitals, or with a slash at the end
 *   /v1/pet/7            ->   did you mean /v1/pet?       of an endpoint without operations of items
 */
import { fillTemplate, parsePattern } from '../../router/pattern.ts';
import { Router } from '../../router/router.ts';
import { type Logger, makeLoggedLine } from '../settings/logger.ts';

// The first requests show the mistakes of a client. The others cost nothing, since anyone can send them.
const MAX_SEARCHES = 100;
// Of more paths, only the first are known: the first search takes 5 ms for so many.
const MAX_PATHS = 1000;
/** A segment that is an id, and no guess of a scanner. */
const ID = /\/(?:\d+|[\da-f-]{36})$/;

/** Makes a function that gets each path with a 404, and logs what it could be, once. `listTemplates` returns the paths of all endpoints. */
export function makePathHints(root: string, logger: Logger, listTemplates: () => readonly string[]): (path: string) => void {
  const logged = new Set<string>();
  let router: Router<string> | undefined;
  let searches = 0;
  return (path) => {
    if (searches === MAX_SEARCHES) return;
    searches += 1;
    router ??= makeSimilarRouter(listTemplates().slice(0, MAX_PATHS));
    const rooted = path === '/' ? root : root + path;
    const similar = router.match('', foldPath(path));
    const inRoot = similar ?? router.match('', foldPath(rooted));
    const template = inRoot ?? router.match('', foldPath(path.replace(ID, '')));
    // A client that leaves out the root does so in all its requests.
    const key = similar ?? (inRoot === undefined ? `${template}/:id` : 'root');
    if (template === undefined || logged.has(key)) return;
    logged.add(key);
    const [asked, reason] = inRoot === undefined ? [`${template}/:id`, 'Operations of one item need the option id of the endpoint']
      : similar === undefined ? [formatAsked(rooted, template).slice(root.length) || '/', 'Paths begin with the root of the server']
      : [formatAsked(path, template), 'Paths must match exactly'];
    logger.error(makeLoggedLine(`a request for ${asked} gets 404: did you mean ${template}? ${reason}`));
  };
}

/** Makes a router that finds the template of a folded path. */
function makeSimilarRouter(templates: readonly string[]): Router<string> {
  const router = new Router<string>();
  for (const template of templates) {
    let count = 0;
    const pattern = parsePattern(foldPath(fillTemplate(template, (_, isWildcard) => `${isWildcard ? '*' : ':'}p${(count += 1)}`)));
    if (router.findConflict('', pattern) === undefined) router.insert('', pattern, template);
  }
  return router;
}

/** Returns the path that all similar paths have: in lower case, in the singular, and without a slash at the end. */
function foldPath(path: string): string {
  return path.toLowerCase().replace(/(.)\/$/, '$1').replace(/([^/]{2})e?s?(?=\/|$)/g, '$1').replace(/y(?=\/|$)/g, 'i');
}

/** The path of a request, with the parameters of the template in place of what the client has sent for them. */
function formatAsked(path: string, template: string): string {
  const [sent, named] = [path, template].map((each) => each.replace(/\/$/, '').split('/')) as [string[], string[]];
  const wildcardAt = named.findIndex((segment) => segment.startsWith('*'));
  // The segments after a wildcard are counted from the end.
  const findSent = (at: number): string | undefined => sent.at(wildcardAt !== -1 && at > wildcardAt ? at - named.length : at);
  const asked = named.map((segment, at) => (/^[:*]/.test(segment) ? segment : findSent(at))).join('/');
  return path.endsWith('/') && !named.at(-1)?.startsWith('*') ? `${asked}/` : asked;
}
