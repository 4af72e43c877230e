/**
 * The conditional types of `src/endpoint` and `src/client`. Each finds a mistake, whose message a program in `tests/types/wrong-programs.md` has,
 * or infers a type.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { casesIn } from './support/compiled-cases.ts';

const FOLDERS = ['endpoint', 'client'].map((name) => fileURLToPath(new URL(`../../src/${name}/`, import.meta.url)));

/** The mistakes, by the types that find them, with a part of the message. */
const MISTAKES: Readonly<Record<string, readonly [mistake: string, ...messages: string[]]>> = {
  SchemaMistake: ['a body without a decoder', 'create needs endpoint.schema or input'],
  InputMistake: ['a function that takes a body, without input', 'without input, run gets no body: declare input'],
  JsonMistake: ['no result where one is sent', 'return a value, or reply(204)'],
  Lost: ['a result that JSON would lose in part', 'a promise becomes {} in JSON: await it'],
  ChangedMistake: [
    'a value that JSON does not have',
    'JSON has no bigint', 'JSON leaves out functions and symbols', 'a Map or a Set becomes {} in JSON', 'an iterator becomes {} in JSON',
  ],
  UndefinedMistake: ['a forgotten return', 'get returns only undefined: is a return missing?'],
  Unsent: ['a result that nobody gets', 'this result is not sent'],
  IsThrown: ['an error that is returned', 'the result is an error: throw it, or return problem(status)'],
  CreateMistake: ['a create that does not return its id', 'create returns the id'],
  CreatedMistake: ['created() with an id of a different type', 'created() has a different type of id'],
  OutputMistake: ['a reply with a status that output does not declare', 'output lacks the status 202'],
  ProblemMistake: ['a returned error that errors does not declare', 'errors lacks the status 409'],
  UndeclaredMistake: ['other extensions than errors declares', 'the extensions of problem(402) do not match errors'],
  HeadersMistake: ['a result without a declared header', "the header X-Total is missing or has a different type: reply(200, body, { 'X-Total': value })"],
  HeaderMistake: ['a reply with a different type of a declared header', 'the header X-Total is missing or has a different type'],
  StringifyMistake: ['a stringify of a different result', 'stringify takes a different type than run returns'],
  UnknownProperties: ['a misspelt operation', 'remove is not a property of an endpoint'],
  UnknownOptions: ['a misspelt option', 'ouput is not an option of this operation'],
  CertainlyIn: ['an option of reads for a change', 'cache is not an option of this operation'],
  UnknownScopes: ['a misspelt scope', 'getScopes never returns the scope pet:wrte', 'getScopes never returns the scope pet:rad'],
  NeedsMistake: ['an interceptor that needs a context of a different type', 'use needs request.context'],
  MissingMistake: ['an interceptor that needs one of two requests', 'use needs a different request than this operation has'],
  PathMistake: ['a path with other parameters than its endpoint', 'this path needs :zoo', 'endpoint.id adds /:id itself'],
  CheckedEndpoints: ['an endpoint that is not checked', 'wrap each endpoint in defineEndpoint({ … })'],
  CodecOf: ['an id that is not a codec', 'id must be a codec, such as integerId or stringId'],
  OutputInput: ['a result of a different type than output takes', "Property 'legs' is missing in type"],
  ReturnsItem: ['a result of a different type than the schema', "Types of property 'legs' are incompatible"],
  Inferred: ['a version in front of get', 'write the type of this parameter, or put get before it'],
  Failing: ['an error as a reply', 'return problem(404)'],
  Failed: ['a success as a problem', 'a problem has a status from 400 to 599: return reply(status)'],
  PathsOf: [
    'a client of the server, or without a type',
    'give client the type of the result of registerEndpoints', 'write client<typeof api>(base), where api is the result',
  ],
  PathWithId: ['a singleton that is called as items', 'this endpoint has no id: call api.one(path)'],
  PathWithoutId: ['items that are called as a singleton', 'this endpoint has an id: call api(path)'],
};

/** All other conditional types, by their purpose. */
const INFERENCE: Readonly<Record<string, readonly string[]>> = {
  'the messages at their properties': [
    'CheckedDeclaration', 'Suspicions', 'Messages', 'OperationMessages', 'ScopesMessage', 'Mistake', 'ResultMistake', 'OwnUseMistake',
    'SharedUseMistake', 'Expected', 'SubPath', 'WithId', 'Replied',
  ],
  'whether there is a mistake, also in generic functions': ['IsNever', 'Never'],
  'parts of a declaration': [
    'EachOf', 'ResultOf', 'IdIn', 'ParamCodecsIn', 'ContextOf', 'ContextValue', 'KnownScope', 'Missing', 'NamesIn', 'ParseNumber',
    'Present', 'Declared',
  ],
  'the arguments of operations': [
    'ParamsOf', 'DecoderOf', 'Has', 'ResultIn', 'QueryIn', 'ContextIn', 'RequestOf', 'AddedIn', 'InterceptorAdds',
    'HeadersIn', 'IdOf', 'ItemId', 'ReadArguments', 'Decoded', 'Run', 'AddedBy', 'AddsOf', 'Together',
  ],
  'the declaration of an operation by its kind': ['Operation', 'Shorthand', 'OptionsWithoutBody', 'OptionsWithBody', 'NamedOptions', 'CustomOperation'],
  'the results of operations': [
    'AcceptedBy', 'MissingResult', 'RunResult', 'PlainStatus', 'ResultsByStatus', 'BodilessResult', 'SentItem', 'InfersItem', 'VersionedItem',
    'OutputItem',
  ],
  'the type of an endpoint': ['Itself', 'EndpointWith', 'KnownWith'],
  'the contract of an API': [
    'Contract', 'EndpointContract', 'PropertyContract', 'CodecContract', 'OperationContract', 'OperationOf', 'Flat', 'UsedBy',
  ],
  'the body that a client passes': [
    'BodyEntry', 'BodyInput', 'JsonInput', 'SchemaInput', 'ItemsInput', 'FormInput', 'FieldInput', 'ReadonlyLists',
  ],
  'the options that a client passes': [
    'WithOptions', 'QueryOption', 'OptionalIfEmpty', 'QueryInput', 'QueryParameters', 'UsedQuery', 'KeyOption', 'RequiresKey', 'IfMatchEntry',
  ],
  'the results that a client gets, by status': [
    'ResponseEntries', 'IdEntry', 'EmptyEntries', 'OutputsOf', 'StatusOf', 'Settled', 'JsonEntries', 'BodyEntries', 'UnsentEntries', 'ReplyEntry',
    'BodyOf', 'OutputBody', 'ReceivedBody', 'ErrorEntries', 'DeclaredErrors', 'HeadersEntry', 'HeaderText', 'Enveloped', 'EnvelopeOf',
    'Envelope',
  ],
  'a type in JSON': ['JsonOf', 'Unbranded', 'SpecialJson', 'ItemJson', 'ObjectJson', 'PresentJson', 'Presence'],
  'the functions of a client': [
    'Operations', 'ContractOf', 'ItemOperations', 'SingletonOperations', 'BodyParameter', 'BodyIn', 'Options', 'HeaderOptions', 'Values', 'ItemOf',
    'Changing', 'Stored',
  ],
  'what a call resolves to': ['Got', 'StreamIn', 'ValueOf', 'Successes', 'TypedHeaders', 'HeadersOf', 'ProblemIn', 'ProblemWith', 'Returned'],
  'the parts of a contract by name': ['NamesOf', 'OperationAt'],
  'the arguments after a path, of which objects and paths of several segments need a codec': [
    'Client', 'HasId', 'PathArguments', 'Parsed', 'IdCodecOption', 'ParamCodecsOption', 'ParamsWithCodec', 'NeedsCodec', 'SameCodec',
  ],
};

/** The names of the types in a source that have a condition. */
function conditionalTypes(source: string): string[] {
  const code = source.replace(/\/\*\*[^]*?\*\/|\/\/.*/g, '');
  return code.split(/^(?=[a-z])/m).flatMap((statement) => {
    const [, name] = /^(?:export )?(?:type|interface) (\w+)/.exec(statement) ?? [];
    return name !== undefined && /\bextends\b[^]*\s\? /.test(statement) ? [name] : [];
  });
}

const types = suite('the conditional types of endpoints and the client');
types('are found in a source', () => {
  const source = `type A<T> = T extends 1 ? 2 : 3;
type B<T> =
  T extends 1
  ? 2 : 3;
interface C extends D { e?: 1 }
// type F = G extends 1 ? 2 : 3;
`;
  assert.equal(conditionalTypes(source), ['A', 'B']);
});
types('are each in the table of mistakes or in the list of inference, and no others are', () => {
  const files = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => folder + name));
  const found = files.flatMap((file) => conditionalTypes(readFileSync(file, 'utf8')));
  assert.equal([...new Set(found)].sort(), [...Object.keys(MISTAKES), ...Object.values(INFERENCE).flat()].sort());
});
const reasons = casesIn('tests/types/wrong-programs.md').cases.map(({ message }) => message);
for (const [name, [mistake, ...messages]] of Object.entries(MISTAKES)) {
  types(`${name} finds ${mistake}, as a wrong program shows`, () => {
    for (const message of messages) assert.ok(reasons.some((reason) => reason.includes(message)), message);
  });
}
types.run();
