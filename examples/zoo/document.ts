/** The parts of the zoo's OpenAPI document that do not follow from its endpoints. */
import type { OpenApiOptions } from 'restpoint/openapi';

export const DOCUMENT: OpenApiOptions = {
  servers: [{ url: '/' }],
  info: { title: 'Zoo', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
  tags: [
    { name: 'animal', description: 'Any animal' },
    { name: 'zoo', description: 'Zoos' },
    { name: 'zooPet', description: 'The pets of a zoo' },
    { name: 'zooPetCsv', description: 'The pets of a zoo, for spreadsheets' },
    { name: 'zooPetPhoto', description: 'The photo of a pet' },
    { name: 'event', description: 'What happens in the zoos' },
    { name: 'keeperMe', description: 'The keeper who asks' },
  ],
};
