/** The types of lists in pages, by the options of `pages`. */
import type { Interceptor } from '../declaration/interceptor.ts';

/**
 * The page that an operation must return, as `request.page`.
 *
 * @example
 * ```ts
 * function queryPets({ take, after }: Page): string {
 *   return `SELECT * FROM pet ${after === undefined ? '' : 'WHERE id > $1'} ORDER BY id LIMIT ${take}`;
 * }
 * ```
 */
export interface Page<After = string> {
  /** The maximum of items to return: one more than the page has, which shows that there is a next page. */
  readonly take: number;
  /** The cursor of the item after which the page begins; `undefined` for the first page. */
  readonly after: After | undefined;
}

/** Added to a page by `prev` and by `sort`. */
export interface PageDirection {
  /**
   * Whether to return items in descending order: the items after `after` are then the lesser ones. To go back a page is to go on in the
   * reverse order, so `pages` asks for that, and turns the items around.
   */
  readonly descending: boolean;
}

/**
 * The page of a list with `sort`, as `request.page`. `by` is what to sort by, `undefined` for the list's own order, and `after` has the key
 * and the id of the item after which the page begins. `Keys` has the types of the keys, by name.
 *
 * @example
 * ```ts
 * function queryPets({ after, descending, take }: SortedPage<{ name: string }, number>): string {
 *   const [operator, direction] = descending ? ['<', 'DESC'] : ['>', 'ASC'];
 *   const where = after === undefined ? '' : `WHERE (name, id) ${operator} ($1, $2)`;
 *   return `SELECT * FROM pet ${where} ORDER BY name ${direction}, id ${direction} LIMIT ${take}`;
 * }
 * ```
 */
export type SortedPage<Keys, Id = string> = PageDirection & Pick<Page, 'take'> & (
  | { readonly by: undefined; readonly after: { readonly id: Id; readonly key: undefined } | undefined }
  | { [By in keyof Keys]: { readonly by: By; readonly after: { readonly id: Id; readonly key: Keys[By] } | undefined } }[keyof Keys]
);

/** The interceptor that `pages` makes. */
export interface Pages<
  After, LimitName extends string, AfterName extends string,
  Sort = undefined, BeforeName extends string = never, Envelope extends boolean = false,
> extends Interceptor<{ readonly page: RequestedPage<After, Sort, BeforeName> }> {
  /** Only for the compiler: the query that a client can send, and whether the body is an object with the items. */
  readonly ' types'?: {
    readonly query:
      & { readonly [Name in LimitName]?: number }
      & { readonly [Name in AfterName | BeforeName]?: string | number | bigint }
      & SortQuery<Sort>;
    readonly envelope: Envelope;
  };
}

type RequestedPage<After, Sort, BeforeName> = [Sort] extends [undefined]
  ? [BeforeName] extends [never] ? Page<After> : Page<After> & PageDirection
  : SortedPage<SortKeys<Sort>, After>;

type SortQuery<Sort> = [Sort] extends [undefined] ? {} : { readonly sort?: `${'' | '-'}${keyof SortKeys<Sort> & string}` };

/** The types of the keys, by name. */
type SortKeys<Sort> = Sort extends readonly (infer Name extends string)[] ? { readonly [Each in Name]: string }
  : { readonly [Name in keyof Sort]: Sort[Name] extends { readonly parse: (text: string) => infer Key } ? Key : never };

/** What a list can be sorted by: the names of properties that every item has, or an object with codecs for them. */
export type SortOption<Item, Sort> = Sort extends readonly unknown[]
  ? readonly [SortName<Item>, ...SortName<Item>[]]
  : { readonly [Name in keyof Sort]: Name extends SortName<Item> ? SortCodec<Item, Name> : SortName<Item> };

type SortName<Item> = unknown extends Item ? string
  : { [Name in keyof Item]-?: Item[Name] extends string | number | bigint | Date ? Name : never }[keyof Item] & string;

/** Parses and formats a key. */
interface SortCodec<Item, Name> {
  readonly parse: (text: string) => unknown;
  readonly format: (key: Name extends keyof Item ? Item[Name] : any) => string;
}
