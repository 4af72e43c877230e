/**
 * The OpenAPI document of a server with every kind of operation and the schemas of three libraries: two validators do not complain, and
 * the server's responses conform to the document. Each check is shown to fail: on broken documents, and on a server with wrong responses.
 */
import assert from 'node:assert/strict';
import { openApi } from '../../dist/openapi/index.js';
import { z } from 'zod';
import { checking } from './checks.js';
import { compareWithDocument, findOperation } from './openapi-agreement.js';
import { traffic } from './openapi-traffic.js';
import { lintComplaints, schemaComplaints } from './openapi-validators.js';
import { makeSequenceServer, OPTIONS, schemaFailures, zooServer } from './openapi-zoo.js';

const zoo = openApi(zooServer(), OPTIONS);
const WebhookBody = z.object({ type: z.literal('pet.created'), data: z.object({ name: z.string() }) });
const petPath = '/v1/zoo/{zoo}/pet/{id}';

/** A copy of the document with one thing broken, and the validator that finds it. */
const BROKEN = [
  ['a type that is none', schemaComplaints, ({ components }) => (components.schemas.ZooPet.type = 'animal')],
  ['a required that is not a list', schemaComplaints, ({ components }) => (components.schemas.Report.required = 'balance')],
  ['a schema that is a string', schemaComplaints, ({ paths }) => (paths['/v1/zoo/{zoo}/pet'].get.parameters[1].schema = 'integer')],
  ['an unknown kind of security', schemaComplaints, ({ components }) => (components.securitySchemes.bearer.type = 'token')],
  ['a reference that leads nowhere', lintComplaints, ({ components: { schemas } }) => (schemas.ZooPet.properties.kind.$ref = '#/components/schemas/Cow')],
  ['two operations of one id', lintComplaints, ({ paths }) => (paths[petPath].get.operationId = 'zooPetList')],
  ['a parameter of the path that is not declared', lintComplaints, ({ paths }) => paths[petPath].get.parameters.pop()],
  ['a response without a description', lintComplaints, ({ components }) => delete components.responses.NotFound.description],
];

const WITH_WEBHOOKS = {
  ...OPTIONS,
  servers: [{ url: 'http://127.0.0.1:8080' }],
  tags: [{ name: 'zooPet', description: 'The pets of a zoo.' }],
  webhooks: { 'pet.created': { schema: WebhookBody, summary: 'A pet was created', tags: ['zooPet'] } },
};
/** The same for a document with webhooks and sequences. */
const BROKEN_WEBHOOKS = [
  ['items of a sequence that are a number', schemaComplaints, ({ paths }) => (paths['/v1/reading'].get.responses[200].content['text/event-stream'].schema = 7)],
  ['a webhook without a description of its responses', lintComplaints, ({ webhooks }) => delete webhooks['pet.created'].post.responses['2XX'].description],
  ['a webhook with an unknown kind of parameter', schemaComplaints, ({ webhooks }) => (webhooks['pet.created'].post.parameters[0].in = 'body')],
];

/** The deviations of a server's responses from the document. */
async function held(server, onResponse) {
  const started = await server.start('127.0.0.1:0');
  try {
    return await compareWithDocument(zoo, started.url, traffic, onResponse);
  } finally {
    await server.stop();
  }
}

await checking('OpenAPI', async (check) => {
  await check('the document has each kind of operation, each library and each security scheme', () => {
    const operations = Object.values(zoo.paths).flatMap((item) => Object.values(item));
    assert.equal(operations.length, 30);
    assert.deepEqual(schemaFailures, []);
    assert.deepEqual(Object.keys(zoo.components.securitySchemes), ['basic', 'bearer']);
    assert.deepEqual(Object.keys(zoo.components.schemas), [
      'Broken', 'Closed', 'Kind', 'KindInput', 'Problem', 'Report', 'Seat', 'Ticket', 'TicketGroup', 'TicketGroupWith', 'TicketInput', 'ZooKeeper', 'ZooPet', 'ZooPetInput',
      'ZooPetListResult',
    ]);
  });
  await check('dates are strings in it, on both sides', () => {
    const date = { type: 'string', format: 'date-time' };
    const { schemas } = zoo.components;
    for (const [name, property] of [['ZooPet', 'born'], ['ZooPetInput', 'born'], ['ZooKeeper', 'since'], ['Ticket', 'valid']]) {
      assert.deepEqual(schemas[name].properties[property], date, name);
    }
  });
  await check('it is the same bytes twice, and of another server', () => {
    const text = JSON.stringify(zoo);
    const server = zooServer();
    for (const each of [server, server, zooServer()]) assert.equal(JSON.stringify(openApi(each, OPTIONS)), text);
  });
  for (const [name, complaintsOf] of [['@hyperjump/json-schema', schemaComplaints], ['redocly lint', lintComplaints]]) {
    await check(`${name} does not complain`, async () => assert.deepEqual(await complaintsOf(zoo), []));
  }
  for (const [what, complaintsOf, breakIt] of BROKEN) {
    await check(`a validator complains about ${what}`, async () => {
      const broken = structuredClone(zoo);
      breakIt(broken);
      assert.notDeepEqual(await complaintsOf(broken), []);
    });
  }
  const whole = openApi(makeSequenceServer(), WITH_WEBHOOKS);
  await check('a document has items of sequences, and a webhook', () => {
    assert.ok(whole.paths['/v1/reading'].get.responses[200].content['text/event-stream'].schema);
    assert.deepEqual([whole.openapi, Object.keys(whole.webhooks)], ['3.1.0', ['pet.created']]);
  });
  for (const [name, complaintsOf] of [['@hyperjump/json-schema', schemaComplaints], ['redocly lint', lintComplaints]]) {
    await check(`${name} does not complain about sequences and webhooks`, async () => assert.deepEqual(await complaintsOf(whole), []));
  }
  for (const [what, complaintsOf, breakIt] of BROKEN_WEBHOOKS) {
    await check(`a validator complains about ${what}`, async () => {
      const broken = structuredClone(whole);
      breakIt(broken);
      assert.notDeepEqual(await complaintsOf(broken), []);
    });
  }
  const served = new Set();
  await check('every response is what the document says', async () => {
    const wrong = await held(zooServer(), (request, { status, body }) => {
      assert.equal(status, request.status, `${request.method} ${request.path}: ${body}`);
      if (status < 300) served.add(findOperation(zoo, request).operation.operationId);
    });
    assert.deepEqual(wrong, []);
  });
  await check('every operation of the document has succeeded', () => {
    const declared = Object.values(zoo.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    assert.deepEqual(declared.filter((operationId) => !served.has(operationId)), ['ticketFail']);
  });
  await check('a wrong body and a wrong status are found', async () => {
    const wrong = await held(zooServer({ wrong: true }));
    const requests = wrong.map((difference) => difference.split(': ')[0]);
    assert.deepEqual([...new Set(requests)], [
      'GET /v1/zoo/berlin/pet?limit=5&tag=a&tag=b -> 200', 'GET /v1/zoo/berlin/pet/1 -> 200', 'DELETE /v1/ticket/1 -> 202',
    ]);
    assert.ok(wrong.some((difference) => /#\/legs: .*\/properties\/legs\/type$/.test(difference)), wrong.join('\n'));
    assert.equal(wrong.at(-1), 'DELETE /v1/ticket/1 -> 202: 202 is not in the document');
  });
});
