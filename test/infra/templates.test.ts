import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib/core';
import { afterAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness/json.ts';
import { withAllSettings } from './all-settings.ts';
import { crossReferenceErrors, type Deployed } from './cross-references.ts';
import { predecessorsIn } from './predecessors.ts';
import { synthesized, type Template } from './synthesized.ts';

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

const empty: Template = { file: '', text: '{}', resources: {}, parameters: {}, outputs: {}, nested: {} };

/** A template with the first resource of this type, changed, and with those that it needs. */
function planted(type: string, change: (resource: Json, id: string, resources: Json) => void) {
  const template = app.templates.find(({ resources }) =>
    Object.values(resources).some(({ Type }) => Type === type),
  );
  const { Resources, Outputs: _, ...parsed } = JSON.parse(template?.text ?? '');
  const [id = ''] = Object.entries<Json>(Resources).find(([, { Type }]) => Type === type) ?? [];
  const resources = Object.fromEntries([...neededBy(id, Resources)].map((one) => [one, Resources[one]]));
  change(resources[id], id, resources);
  return { id, text: JSON.stringify({ ...parsed, Resources: resources }), resources };
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

const properties = (change: (properties: Json) => void) => (resource: Json) => change(resource.Properties);

const planting: [what: string, type: string, change: (resource: Json) => void][] = [
  [
    'a misspelt property',
    'AWS::DynamoDB::Table',
    properties((table) => {
      table.PointInTimeRecoverySpecificaton = table.PointInTimeRecoverySpecification;
    }),
  ],
  [
    'a misspelt property inside another',
    'AWS::DynamoDB::Table',
    properties((table) => {
      table.TimeToLiveSpecification = { AttributName: 'expiresAt', Enabled: true };
    }),
  ],
  [
    'a property of another type',
    'AWS::Lambda::Function',
    properties((one) => {
      one.Timeout = 'soon';
    }),
  ],
  [
    'a list where a text belongs',
    'AWS::ApiGatewayV2::Route',
    properties((route) => {
      route.RouteKey = ['GET /api'];
    }),
  ],
  [
    'a required property that is missing',
    'AWS::ApiGatewayV2::Route',
    properties((route) => {
      delete route.RouteKey;
    }),
  ],
  [
    'a value that is none of the allowed ones',
    'AWS::DynamoDB::Table',
    properties((table) => {
      table.BillingMode = 'PAY_PER_READ';
    }),
  ],
  [
    'a number that is too small',
    'AWS::Lambda::Function',
    properties((one) => {
      one.MemorySize = 64;
    }),
  ],
  [
    'a reference to nothing',
    'AWS::Lambda::Function',
    properties((one) => {
      one.Role = { 'Fn::GetAtt': ['NoRole', 'Arn'] };
    }),
  ],
  [
    'an attribute that does not exist',
    'AWS::Lambda::EventSourceMapping',
    properties((mapping) => {
      mapping.FunctionName = { 'Fn::GetAtt': [mapping.FunctionName['Fn::GetAtt'][0], 'Adress'] };
    }),
  ],
  [
    'a type that does not exist',
    'AWS::SNS::Topic',
    (topic) => {
      topic.Type = 'AWS::SNS::Subject';
    },
  ],
];

const mistakes = await Promise.all(
  planting.map(async ([what, type, change]) => {
    const { id, text } = planted(type, change);
    const file = join(folder, `${what.replaceAll(' ', '-')}.template.json`);
    await writeFile(file, text);
    return { what, id, file };
  }),
);
/** The same small templates without a mistake. */
const unchanged = await Promise.all(
  [...new Set(planting.map(([, type]) => type))].map(async (type) => {
    const file = join(folder, `${type.replaceAll('::', '-')}.template.json`);
    await writeFile(file, planted(type, () => undefined).text);
    return file;
  }),
);
const product = [app, stated].flatMap(({ templates, outdir }) =>
  templates.map(({ file }) => join(outdir, file)),
);
/** All at once, because the validation prepares for seconds. */
const found = errorsIn([...product, ...unchanged, ...mistakes.map(({ file }) => file)]);

test('CloudFormation’s resource schemas find nothing wrong in any template, whether a deployment states nothing or everything', () => {
  expect(product.length).toBeGreaterThan(20);
  expect(product.flatMap((file) => found.get(file) ?? [])).toEqual([]);
});

describe('Mistakes in templates', () => {
  test.each(mistakes)('A mistake in a template is found: $what', ({ id, file }) => {
    expect(found.get(file)?.join('\n')).toContain(`${id}: `);
  });

  test('Nothing else is found in what is left of a template with a mistake', () => {
    expect(unchanged.flatMap((file) => found.get(file) ?? [])).toEqual([]);
  });

  test('Resources that wait for each other are found', () => {
    const { id, resources } = planted('AWS::Lambda::Function', (one) => {
      const [role] = one.Properties.Role['Fn::GetAtt'];
      one.DependsOn = [role];
    });
    const [role] = resources[id].Properties.Role['Fn::GetAtt'];
    resources[role].DependsOn = [id];
    expect(() => predecessorsIn({ resources })).toThrow(/wait for each other/);
  });

  const exporting = (name: string, after: string[] = []): Deployed => ({
    name,
    after,
    template: { ...empty, outputs: { Out: { Value: 'x', Export: { Name: 'shared' } } } },
  });
  const importing = (value: object, after: string[]): Deployed => {
    const resources = { A: { Type: 'Custom::A', Properties: { value } } };
    return { name: 'b', after, template: { ...empty, resources, text: JSON.stringify({ resources }) } };
  };
  const shared = { 'Fn::ImportValue': 'shared' };
  const output = (OutputName: string) => ({ 'Fn::GetStackOutput': { StackName: 'a', OutputName } });

  test.each([
    ['an import that nobody exports', [importing({ 'Fn::ImportValue': 'none' }, [])]],
    ['an output that the other stack lacks', [exporting('a'), importing(output('None'), ['a'])]],
    ['an import that may come too early', [exporting('a'), importing(shared, [])]],
  ])('A mistake between templates is found: %s', (_, some) => {
    expect(
      crossReferenceErrors(
        some,
        some.map(({ template }) => template),
      ),
    ).toHaveLength(1);
  });

  test('No mistake is found between templates that are right', () => {
    for (const value of [shared, output('Out')]) {
      const some = [exporting('a'), importing(value, ['a'])];
      expect(
        crossReferenceErrors(
          some,
          some.map(({ template }) => template),
        ),
      ).toEqual([]);
    }
  });

  test('A value that two stacks export is found, and what a nested stack is not given, does not take or does not tell', () => {
    const inner = { ...empty, file: 'inner', parameters: { Wanted: { Type: 'String' } } };
    const resources = {
      Nested: { Type: 'AWS::CloudFormation::Stack', Properties: { Parameters: { Other: 'x' } } },
      User: { Type: 'Custom::A', Properties: { value: { 'Fn::GetAtt': ['Nested', 'Outputs.None'] } } },
    };
    const outer = { ...empty, file: 'outer', resources, nested: { Nested: 'inner' } };
    expect(crossReferenceErrors([], [outer, inner])).toEqual([
      'Nested does not take Other',
      'Nested is not given Wanted',
      'Nested has no output None',
    ]);
    const twice = [exporting('a'), exporting('b')];
    expect(
      crossReferenceErrors(
        twice,
        twice.map(({ template }) => template),
      ),
    ).toEqual(['shared is exported more than once']);
  });
});
