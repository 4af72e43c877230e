/** What uvu keeps to itself. Its own runner loses the error of a hook, and whatever is thrown that is not an error. */

type Hook = (state: State) => unknown;

interface State {
  __test__?: string;
}

export interface Suite {
  readonly name: string;
  readonly tests: readonly { readonly name: string; readonly handler: Hook }[];
  readonly only: Suite['tests'];
  readonly skips: number;
  readonly before: readonly Hook[];
  readonly after: readonly Hook[];
  readonly bEach: readonly Hook[];
  readonly aEach: readonly Hook[];
  readonly state: State;
}

const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: unknown[][] };
uvu.UVU_DEFER = 1;
uvu.UVU_INDEX = 0;

/** The suites whose `run()` is called meanwhile. It only binds uvu's runner to the suite, which nothing else shows. */
export async function collectSuites(load: () => Promise<unknown>): Promise<Suite[]> {
  const suites: Suite[] = [];
  const { bind } = Function.prototype;
  Function.prototype.bind = function (this: unknown, ...bound: unknown[]) {
    const [, suite, name] = bound as [unknown, Suite?, string?];
    if (suite?.bEach !== undefined) suites.push({ ...suite, name: String(name) });
    return Reflect.apply(bind, this as () => void, bound);
  } as typeof bind;
  uvu.UVU_QUEUE = [[]];
  try {
    await load();
  } finally {
    Function.prototype.bind = bind;
  }
  return suites;
}

/** Keeps uvu's assertions from computing whole differences, which takes minutes where two strings of 10 KB have nothing in common. */
export async function disableDifferences(): Promise<void> {
  const { Diff } = await import('diff' as string) as { readonly Diff: { readonly prototype: { diff(): readonly object[] } } };
  Diff.prototype.diff = () => [{ count: 0, value: '' }];
}
