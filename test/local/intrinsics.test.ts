import { expect, test } from 'vitest';
import type { Assembly, Resource, Stack } from '../../infra/local/template/assembly.ts';
import { Intrinsics } from '../../infra/local/template/intrinsics.ts';

type Outputs = Stack['template']['Outputs'];

function stackNamed(
  name: string,
  deployedAs: string | undefined,
  Outputs: Outputs,
  nestedIn?: Resource,
): Stack {
  const stack: Stack = { name, template: { Resources: {}, Outputs }, resources: new Map() };
  return Object.assign(stack, deployedAs && { deployedAs }, nestedIn && { nestedIn });
}

function resourceOf(stack: Stack, logicalId: string, type: string): Resource {
  const resource: Resource = { stack, logicalId, type, properties: {}, condition: undefined };
  stack.resources.set(logicalId, resource);
  return resource;
}

const data = stackNamed('Data', 'Data-dev', { Stream: { Value: { 'Fn::GetAtt': ['Table', 'StreamArn'] } } });
resourceOf(data, 'Table', 'AWS::DynamoDB::Table');
const api = stackNamed('Api', 'Api-dev', {});
const nested = stackNamed(
  'Api-Notes',
  undefined,
  { Function: { Value: { 'Fn::GetAtt': ['WriteNote', 'Arn'] } } },
  resourceOf(api, 'Notes', 'AWS::CloudFormation::Stack'),
);
resourceOf(nested, 'WriteNote', 'AWS::Lambda::Function');
const assembly: Assembly = { stacks: [data, api, nested], assets: new Map() };
const intrinsics = new Intrinsics(
  assembly,
  ({ stack, logicalId }, name) => `${stack.name}/${logicalId}.${name}`,
);

test('A stack takes an output of another one by the name under which that one is deployed', () => {
  const output = (StackName: string, OutputName: string) =>
    intrinsics.resolve(api, { 'Fn::GetStackOutput': { StackName, OutputName } });
  expect(output('Data-dev', 'Stream')).toBe('Data/Table.StreamArn');
  expect(() => output('Data', 'Stream')).toThrow('no stack Data, which Fn::GetStackOutput asks for');
  expect(() => output('Data-dev', 'Table')).toThrow('Stack Data has no output Table.');
});

test('A stack takes an output of a stack that is nested in it', () => {
  const attribute = (name: string) => intrinsics.resolve(api, { 'Fn::GetAtt': ['Notes', name] });
  expect(attribute('Outputs.Function')).toBe('Api-Notes/WriteNote.Arn');
  expect(() => attribute('Outputs.None')).toThrow('Stack Api-Notes has no output None.');
});
