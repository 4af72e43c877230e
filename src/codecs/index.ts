export { integerId, stringId, uint64Id, uuidId, type IdCodec } from '../endpoint/id-codec.ts';
