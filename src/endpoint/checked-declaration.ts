/**
 * What the compiler checks of a declaration once it knows all of its types. A wrong operation, or a member that does not exist, has a text in
 * place of its type: the compiler's message ends with it.
 */
import type { ApiEndpoint } from './declaration.ts';
import type { MembersWith } from './kinds.ts';
import type { LongOperation, MiswrittenBy } from './operation-forms.ts';

type Members = keyof ApiEndpoint<any, any>;
type LongMembers = keyof LongOperation<any, any, any, any, any, any>;
type ReadMembers = Exclude<LongMembers, 'input'>;

// The operations of an endpoint by the members that they can have.
type NamedMembers = MembersWith<{ readonly suffix: `${string}<name>` }>;
type ReadingMembers = MembersWith<{ readonly decoder: undefined }>;
type WritingMembers = Exclude<MembersWith<unknown>, NamedMembers | ReadingMembers>;

// A function may have any members.
type OthersOf<Form, Known> = Form extends (...args: never) => unknown ? never : keyof Form extends Known ? never : keyof Form;
type At<Endpoint, Name> = Endpoint[keyof Endpoint & Name];
type EachOf<Named> = Named extends object ? Named[keyof Named] : never;

/** Whether an endpoint is right. It distributes over no keys, which would cost time. */
type IsRight<Endpoint> = keyof Endpoint extends Members
  ? [
    OthersOf<At<Endpoint, WritingMembers> | EachOf<At<Endpoint, NamedMembers>>, LongMembers>
    | OthersOf<At<Endpoint, ReadingMembers>, ReadMembers> | MiswrittenBy<EachOf<At<Endpoint, NamedMembers>>>,
  ] extends [never] ? true : false
  : false;

type Checked<Form, Known> = [MiswrittenBy<Form>] extends [never] ? NoOtherMembers<Form, Known> : MiswrittenBy<Form>;

type NoOtherMembers<Form, Known> = {
  readonly [Name in Exclude<keyof Form, Known>]: Form extends (...args: never) => unknown ? unknown : `${Name & string} is not a member of this operation`;
};

// An instance of a class may have members of its own. Unlike an object, it does not have the type of an index signature.
type OthersIn<Endpoint> = Endpoint extends Readonly<Record<string, unknown>> ? Exclude<keyof Endpoint, Members> : never;

// Excess property checks refuse them in a literal, but not in a variable.
type Refused<Endpoint> = {
  readonly [Name in OthersIn<Endpoint>]: `${Name & string} is not a member of an endpoint`;
} & {
  readonly [Name in Extract<keyof Endpoint, WritingMembers>]: NoOtherMembers<Endpoint[Name], LongMembers>;
} & {
  readonly [Name in Extract<keyof Endpoint, ReadingMembers>]: NoOtherMembers<Endpoint[Name], ReadMembers>;
} & {
  readonly [Name in Extract<keyof Endpoint, NamedMembers>]: {
    readonly [Each in keyof Endpoint[Name]]: Checked<Endpoint[Name][Each], LongMembers>;
  };
};

/** An endpoint as it has to be: anything if it is right. */
export type CheckedDeclaration<Endpoint> = IsRight<Endpoint> extends false ? Refused<Endpoint> : unknown;
