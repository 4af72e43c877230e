/** What a host has registered, in its order. Each registration serves its routes from then on, and logs them. */
import { declarationOf } from '../endpoint/declared/declaration.ts';
import type { Registered } from '../endpoint/registered.ts';
import { basePath, discoveriesOf, listOf, type Route, routesOf } from '../endpoint/routes.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { MountHandler } from './mounts.ts';
import { ServedEndpoint } from './operation/served-endpoint.ts';
import type { Settings } from './settings/options.ts';
import type { UpgradeHandler, UpgradeOptions, Upgrades } from './upgrades.ts';

/** `ApiServer` says what each method promises to hosts. */
export class Registry {
  readonly #root: string;
  readonly #settings: Settings;
  readonly #dispatcher: Dispatcher;
  readonly #upgrades: Upgrades;
  // Endpoints and not their routes, which take more memory and are made again when the host asks.
  readonly #all: (ServedEndpoint | Route)[] = [];

  constructor(root: string, settings: Settings, dispatcher: Dispatcher, upgrades: Upgrades) {
    this.#root = root;
    this.#settings = settings;
    this.#dispatcher = dispatcher;
    this.#upgrades = upgrades;
  }

  get routes(): readonly Route[] {
    const discovered = new Set<string>();
    return this.#all.flatMap((each) => (each instanceof ServedEndpoint ? listOf(each, discovered) : each));
  }

  get registered(): Registered {
    return { root: this.#root, formatsProblems: this.#settings.formatProblem !== undefined, all: this.#all };
  }

  addEndpoint(subpath: string, endpoint: unknown): void {
    const declaration = declarationOf(endpoint);
    const base = basePath(this.#root, subpath, declaration.params.keys());
    const served = new ServedEndpoint(base, declaration, this.#settings);
    const routes = routesOf(served);
    this.#dispatcher.addRoutes(routes);
    this.#all.push(served);
    for (const { method, pattern } of routes) this.#log(method, pattern.text);
    for (const discovery of discoveriesOf(served)) {
      if (this.#dispatcher.addDiscovery(discovery)) this.#log('OPTIONS', discovery.pattern.text);
    }
  }

  addMount(path: string, handler: MountHandler): void {
    this.#dispatcher.addMount(path, handler);
    this.#addRoute({ method: '*', path });
  }

  addUpgrade(path: string, handler: UpgradeHandler, options: UpgradeOptions): void {
    this.#upgrades.add(path, handler, options);
    this.#addRoute({ method: 'UPGRADE', path });
  }

  #addRoute(route: Route): void {
    this.#all.push(route);
    this.#log(route.method, route.path);
  }

  #log(method: string, path: string): void {
    this.#settings.logger.info(`route: ${method} ${path}`);
  }
}
