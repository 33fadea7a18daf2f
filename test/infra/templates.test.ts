import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib/core';
import { afterAll, expect, test } from 'vitest';
import type { Json } from '../harness/json.ts';
import { withAllSettings } from './all-settings.ts';
import { crossReferenceErrors, type Deployed } from './cross-references.ts';
import { predecessorsIn } from './predecessors.ts';
import { synthesized } from './synthesized.ts';

const app = await synthesized();
const stated = await withAllSettings();
const folder = await mkdtemp(join(tmpdir(), 'switchboard-templates-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The errors that CloudFormation's own offline validation finds in these files, by file. */
function errorsIn(templatePaths: string[]): Map<string, string[]> {
  const stackTemplates = templatePaths.map((templatePath) => ({
    stackConstructPath: templatePath,
    templatePath,
    accountId: undefined,
    region: undefined,
  }));
  const appConstruct = new App({ analyticsReporting: false });
  const { violations } = new CloudFormationValidatePlugin().validate({
    templatePaths,
    stackTemplates,
    appConstruct,
  });
  const errors = violations
    .filter(({ severity }) => severity === 'error' || severity === 'fatal')
    .flatMap(({ description, violatingResources }) =>
      violatingResources.map(({ templatePath = '', resourceLogicalId }) => ({
        templatePath,
        text: `${resourceLogicalId}: ${description}`,
      })),
    );
  const byFile = Map.groupBy(errors, ({ templatePath }) => templatePath);
  return new Map([...byFile].map(([file, some]) => [file, some.map(({ text }) => text)]));
}

test('No resources of a template wait for each other', () => {
  for (const template of app.templates) {
    expect(() => predecessorsIn(template)).not.toThrow();
  }
});

const manifest = JSON.parse(await readFile(join(app.outdir, 'manifest.json'), 'utf8'));
const stacks: Deployed[] = Object.entries<Json>(manifest.artifacts).flatMap(([, artifact]) => {
  const { type, properties, dependencies = [] } = artifact;
  const template = app.templates.find(({ file }) => file === properties?.templateFile);
  const after = dependencies.flatMap((id: string) => manifest.artifacts[id].properties?.stackName ?? []);
  return type === 'aws:cloudformation:stack' && template !== undefined
    ? [{ name: properties.stackName, template, after }]
    : [];
});

test('What a stack imports is exported by another stack, which is deployed before', () => {
  expect(stacks.map(({ name }) => name).sort()).toEqual(['Switchboard-dev', 'SwitchboardData-dev']);
  expect(crossReferenceErrors(stacks, app.templates)).toEqual([]);
});

/** A template with the first resource of this type, with other properties, and with the resources that it needs. */
function planted(type: string, propertiesFor: (resource: Json) => Json) {
  const template = app.templates.find(({ resources }) =>
    Object.values(resources).some(({ Type }) => Type === type),
  );
  const { Resources, Outputs: _, ...parsed } = JSON.parse(template?.text ?? '');
  const [id = ''] = Object.entries<Json>(Resources).find(([, { Type }]) => Type === type) ?? [];
  const needed = Object.fromEntries([...neededBy(id, Resources)].map((one) => [one, Resources[one]]));
  const changed = { ...needed[id], Properties: propertiesFor(needed[id]) };
  return { id, text: JSON.stringify({ ...parsed, Resources: { ...needed, [id]: changed } }) };
}

/** The logical ids of a resource and of all that it names, and so on. */
function neededBy(id: string, resources: Json, found = new Set<string>()): Set<string> {
  found.add(id);
  for (const [, named = ''] of JSON.stringify(resources[id]).matchAll(/"([A-Za-z0-9]+)"/g)) {
    if (Object.hasOwn(resources, named) && !found.has(named)) {
      neededBy(named, resources, found);
    }
  }
  return found;
}

/** A table with a misspelt property, and the same one as it is. */
const [mistaken, unchanged] = await Promise.all(
  ['Specificaton', 'Specification'].map(async (ending) => {
    const { id, text } = planted('AWS::DynamoDB::Table', ({ Properties }) => {
      const { PointInTimeRecoverySpecification: recovery, ...others } = Properties;
      return { ...others, [`PointInTimeRecovery${ending}`]: recovery };
    });
    const file = join(folder, `${ending}.template.json`);
    await writeFile(file, text);
    return { id, file };
  }),
);
const product = [app, stated].flatMap(({ templates, outdir }) =>
  templates.map(({ file }) => join(outdir, file)),
);
/** All at once, because the validation prepares for seconds. */
const found = errorsIn([...product, mistaken?.file ?? '', unchanged?.file ?? '']);

test('CloudFormation’s resource schemas find nothing wrong in any template, whether a deployment states nothing or everything', () => {
  expect(product.length).toBeGreaterThan(20);
  expect(product.flatMap((file) => found.get(file) ?? [])).toEqual([]);
});

test('A mistake in a template is found, and nothing in the same template without it', () => {
  expect(found.get(mistaken?.file ?? '')?.join('\n')).toContain(`${mistaken?.id}: `);
  expect(found.get(unchanged?.file ?? '')).toBeUndefined();
});
