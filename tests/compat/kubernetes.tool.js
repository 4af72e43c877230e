/** The manifests in examples/deploy conform to the schemas of Kubernetes, and agree with the service that they run. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { parseAllDocuments } from 'yaml';
import { checking } from './checks.js';

const read = (file) => readFileSync(new URL(`../../examples/deploy/${file}`, import.meta.url), 'utf8');
const MODELS = { Deployment, Service, PodDisruptionBudget };

const manifests = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS());
const [deployment, service] = manifests;
const [container] = deployment.spec.template.spec.containers;

/** Throws unless the manifest is valid. */
function validate(manifest) {
  new MODELS[manifest.kind](manifest).validate();
}

/** A copy of the deployment with one thing broken. */
const BROKEN = [
  ['a missing selector', ({ spec }) => delete spec.selector],
  ['a probe at no port', ({ spec }) => delete spec.template.spec.containers[0].readinessProbe.httpGet.port],
  ['a number as text', ({ spec }) => (spec.template.spec.terminationGracePeriodSeconds = '20')],
];

await checking('kubernetes', async (check) => {
  for (const manifest of manifests) await check(`${manifest.kind} is valid`, () => validate(manifest));
  for (const [what, broken] of BROKEN) {
    await check(`${what} is found`, () => {
      const copy = structuredClone(deployment);
      broken(copy);
      assert.throws(() => validate(copy));
    });
  }
  await check('the selectors have the labels of the pods', () => {
    const { labels } = deployment.spec.template.metadata;
    const selectors = [deployment.spec.selector.matchLabels, service.spec.selector, manifests[2].spec.selector.matchLabels];
    for (const selector of selectors) assert.deepEqual(selector, labels);
  });
  await check('the probes are routes of the service', () => {
    const main = read('main.js');
    for (const { httpGet } of [container.readinessProbe, container.livenessProbe]) assert.ok(main.includes(`probe('${httpGet.path}'`));
  });
  await check('a pod has time to stop', () => {
    const { value: drainMs } = container.env.find(({ name }) => name === 'DRAIN_MS');
    const STOP_GRACE_MS = 10_000;
    assert.ok(deployment.spec.template.spec.terminationGracePeriodSeconds * 1000 > Number(drainMs) + STOP_GRACE_MS);
  });
});
