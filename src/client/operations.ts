/** The operations of an endpoint as functions, by the type of its declaration. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { Answers, JsonAnswers, Succeeded, ValueOf } from './answer-types.ts';
import type { BodyDecoder, Change, Delete, ItemChange, ItemDelete, ItemRead, QueryOf, Read, Sent, Streaming, Write } from './call-types.ts';
import type { EachOptions, RequestOptions } from './options.ts';

/**
 * The operations that an endpoint declares, each with the id, the body and options as far as it has them; `each` where it has a list, and
 * `edit` where it has both `get` and `update`. `Made` is what a plain Create gives.
 */
export type Operations<Endpoint, Made = string> = Endpoint extends { readonly id: IdCodec<infer Id> }
  ? { readonly [Name in keyof Endpoint & keyof OfItems<any, any, any, any>]: OfItems<Id, Made, Endpoint, Endpoint[Name]>[Name] } & More<[id: Id], Endpoint>
  : { readonly [Name in keyof Endpoint & keyof OfSingleton<any, any>]: OfSingleton<Endpoint, Endpoint[Name]>[Name] } & More<[], Endpoint>;

/** What no operation is by itself. */
type More<Leading extends unknown[], Endpoint> = Paged<Endpoint> & Edited<Leading, Endpoint>;

// Two tables of kinds, in place of one whose parameters are lists that may begin with an id: the compiler works a third less. It resolves a
// member of an interface only where it is used, so that a table is asked about one kind.
interface OfItems<Id, Made, Endpoint, Form> {
  readonly create: Write<BodyDecoder<Form, SchemaOf<Endpoint>>, Form, Answers<Form, Succeeded<201, Made>, 201>>;
  readonly list: Read<Form, JsonAnswers<Form>>;
  readonly get: ItemRead<Id, Form, JsonAnswers<Form>>;
  readonly update: ItemChange<Id, BodyDecoder<Form, SchemaOf<Endpoint>>, Form, Changed<Form>>;
  readonly patch: ItemChange<Id, BodyDecoder<Form, undefined>, Form, Changed<Form>>;
  readonly delete: ItemDelete<Id, Form, Changed<Form>>;
  readonly custom: { readonly [Name in Callable<Form>]: Custom<Form[Name]> };
  readonly itemCustom: { readonly [Name in Callable<Form>]: ItemCustom<Id, Form[Name]> };
}

interface OfSingleton<Endpoint, Form> {
  readonly create: Write<BodyDecoder<Form, SchemaOf<Endpoint>>, Form, Answers<Form, Succeeded<201, undefined>, 201>>;
  readonly get: Read<Form, JsonAnswers<Form>>;
  readonly update: Change<BodyDecoder<Form, SchemaOf<Endpoint>>, Form, Changed<Form>>;
  readonly patch: Change<BodyDecoder<Form, undefined>, Form, Changed<Form>>;
  readonly delete: Delete<Form, Changed<Form>>;
  readonly custom: { readonly [Name in Callable<Form>]: Custom<Form[Name]> };
}

type Changed<Form> = Answers<Form, Succeeded<204, undefined>, 200>;
type Custom<Form> = Write<BodyDecoder<Form, undefined>, Form, JsonAnswers<Form>>;
type ItemCustom<Id, Form> = ItemChange<Id, BodyDecoder<Form, undefined>, Form, JsonAnswers<Form>>;

/** The names of operations. `then` is none: an `await` of the object that has them would call it. */
type Callable<Form> = Exclude<keyof Form, 'then' | 'toJSON'>;

type Paged<Endpoint> = Endpoint extends { readonly list: infer List } ? List extends Streaming ? {} : PagesOf<List> : {};

interface PagesOf<List> {
  /**
   * The items of the list, page after page: it follows `Link` with `rel="next"` to the same origin. Each page is asked for when the items
   * before it are used; `timeoutMs` is for each.
   */
  readonly each: (options?: EachOptions<QueryOf<List>>) => AsyncIterable<ItemOf<ValueOf<JsonAnswers<List>>>>;
}

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never;

type Edited<Leading extends unknown[], Endpoint> = Endpoint extends { readonly get: infer Get; readonly update: infer Update }
  ? EditOf<Leading, Get, Update, SchemaOf<Endpoint>>
  : {};

interface EditOf<Leading extends unknown[], Get, Update, Schema> {
  /**
   * Gets the item, changes it, and puts it with the `If-Match` of what it got. After a 412 it begins again, up to twenty times. Gives what was
   * stored: the answer of the update, or what was sent where it has no body. A change that is `undefined` leaves the item as it is.
   *
   * Rejects if the answer of the update is lost, since it may have been made, and with `TypeError` if the item has no `ETag`.
   */
  readonly edit: (...args: [
    ...Leading,
    change: (item: ValueOf<JsonAnswers<Get>>) => Changing<BodyDecoder<Update, Schema>> | PromiseLike<Changing<BodyDecoder<Update, Schema>>>,
    options?: RequestOptions,
  ]) => Promise<ValueOf<JsonAnswers<Get>> | Stored<ValueOf<Changed<Update>>, BodyDecoder<Update, Schema>>>;
}

type Changing<Decoder> = Sent<Decoder> | undefined;
type Stored<Value, Decoder> = Value extends undefined ? Sent<Decoder> : Value;

type SchemaOf<Endpoint> = Endpoint extends { readonly schema: infer Schema } ? Schema : undefined;
