export { byType, type ByType } from './by-type.ts';
export { events, type EventParts, type LastEventId, type NamedEvents, type PlainEvents } from './events.ts';
export { form, type FileOptions, type Form, type FormFiles, type FormOptions, type FormSchema } from './form.ts';
export { createDecoder, readAll, type DecoderInput, type ItemDecoder, type DecodeOptions, type Items } from './items.ts';
export { json, type JsonOptions, type TypedJson } from './json.ts';
export { mergePatch, type Merge, type MergePatch } from './merge-patch.ts';
export { ndjson, type Ndjson } from './ndjson.ts';
export type { ChosenBody } from '../declaration/reply.ts';
export { ranges, type RangesOptions } from './ranges.ts';
