/** The types of bodies: what other requests hear of the accepted ones. */
import { integerId } from '../../../src/index.ts';
import { facts, suite, type Declare } from '../../support/facts.ts';

const others = suite('F1: a body of a different type: 415 names the types that are accepted');
const declare: Declare = (server) => server.registerEndpoint('/pet', {
  id: integerId,
  create: { input: String, run: () => 1 },
  custom: { find: { input: String, run: () => 1 } },
  itemCustom: { feed: { input: String, run: () => 1 } },
  patch: { input: String, run: () => {} },
  update: { input: String, run: () => {} },
});
const ACCEPTED = '415 The body must be application/json in UTF-8. | Accept: application/json';
facts(others, declare, [
  ['', 'POST /v1/pet a\nContent-Type: text/csv', `${ACCEPTED} | Accept-Post: application/json`],
  ['', 'POST /v1/pet/find a\nContent-Type: text/csv', `${ACCEPTED} | Accept-Post: application/json`],
  ['', 'POST /v1/pet/1/feed a\nContent-Type: text/csv', `${ACCEPTED} | Accept-Post: application/json`],
  ['', 'PATCH /v1/pet/1 a\nContent-Type: text/csv', `${ACCEPTED} | Accept-Patch: application/json`],
  ['', 'PUT /v1/pet/1 a\nContent-Type: text/csv', ACCEPTED],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/json', '204'],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/json; charset=utf-8', '204'],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: Application/JSON;charset="UTF-8"', '204'],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/json-patch+json', `${ACCEPTED} | Accept-Patch: application/json`],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/merge-patch+json', `${ACCEPTED} | Accept-Patch: application/json`],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/vnd.pet+json', `${ACCEPTED} | Accept-Patch: application/json`],
]);
