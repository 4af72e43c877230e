/** What a host has registered, in its order. Each registration serves its routes from then on, and logs them. */
import { Endpoint, type Registered } from '../endpoint/endpoint.ts';
import { discoveriesOf, listOf, type Route } from '../endpoint/routes.ts';
import { knownMembersOf, membersOf } from '../errors/members.ts';
import { Router } from '../router/router.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { MountHandler } from './mounts.ts';
import type { Settings } from './settings/options.ts';
import type { UpgradeHandler, UpgradeOptions, Upgrades } from './upgrades.ts';

/** `ApiServer` says what each method promises to hosts. */
export class Registry {
  readonly #root: string;
  readonly #settings: Settings;
  readonly #dispatcher: Dispatcher;
  readonly #upgrades: Upgrades;
  readonly #all: (Endpoint | Route)[] = [];

  constructor(root: string, settings: Settings, dispatcher: Dispatcher, upgrades: Upgrades) {
    this.#root = root;
    this.#settings = settings;
    this.#dispatcher = dispatcher;
    this.#upgrades = upgrades;
  }

  get routes(): readonly Route[] {
    const discovered = new Set<string>();
    return this.#all.flatMap((each) => (each instanceof Endpoint ? listOf(each, discovered) : each));
  }

  get registered(): Registered {
    return { root: this.#root, formatsProblems: this.#settings.formatProblem !== undefined, all: this.#all };
  }

  addEndpoint(subpath: string, declared: unknown): void {
    this.#add([this.#endpoint(subpath, declared)]);
  }

  /** Adds all of them, or none. */
  addEndpoints(declared: unknown, options: unknown): void {
    knownMembersOf(options, 'options', []);
    const endpoints = Object.entries(membersOf(declared, 'endpoints')).map(([subpath, each]) => this.#endpointAmong(subpath, each));
    const together = new Router<Endpoint>();
    for (const endpoint of endpoints) {
      for (const { kind: { method }, pattern } of endpoint.operations) together.insert(method, pattern, endpoint);
    }
    this.#add(endpoints);
  }

  #endpoint(subpath: string, declared: unknown): Endpoint {
    return new Endpoint(this.#root, subpath, declared, this.#settings);
  }

  /** The same, with errors that name the sub-path. */
  #endpointAmong(subpath: string, declared: unknown): Endpoint {
    try {
      return this.#endpoint(subpath, declared);
    } catch (error) {
      throw error instanceof TypeError ? new TypeError(`${JSON.stringify(subpath)}: ${error.message}`, { cause: error }) : error;
    }
  }

  #add(endpoints: readonly Endpoint[]): void {
    this.#dispatcher.addOperations(endpoints.flatMap(({ operations }) => operations));
    for (const endpoint of endpoints) {
      this.#all.push(endpoint);
      for (const { kind: { method }, pattern } of endpoint.operations) this.#log(method, pattern.text);
      for (const discovery of discoveriesOf(endpoint)) {
        if (this.#dispatcher.addDiscovery(discovery)) this.#log('OPTIONS', discovery.pattern.text);
      }
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
