export { integerId, stringId, uint64Id, uuidId, wildcardId, type IdCodec, type WildcardCodec } from '../endpoint/id-codec.ts';
