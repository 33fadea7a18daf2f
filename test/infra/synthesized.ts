import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppOptions, buildApp } from '../../infra/app.ts';
import type { Registered } from '../../infra/registry.ts';
import { assembly } from '../harness/assembly.ts';
import type { Json } from '../harness/json.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Json;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface Template {
  readonly file: string;
  /** The text of the file. */
  readonly text: string;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly outputs: Readonly<Record<string, { readonly Value: Json; readonly Export?: { Name: string } }>>;
  /** The files of its nested stacks, by their logical ids. */
  readonly nested: Readonly<Record<string, string>>;
}

/** The app's templates, the nested ones among them, and the folder they lie in. */
export interface Synthesized {
  readonly outdir: string;
  readonly templates: readonly Template[];
  /** All resources of a type, with the template each is in. */
  ofType(type: string): { id: string; template: Template; Properties: Resource['Properties'] }[];
  remove(): Promise<void>;
}

/** Whether the templates cannot do without the operation: the authorizer and the step that makes its keys. */
export const isRequired = ({ operation: { kind } }: Registered) =>
  kind === 'authorizer' || kind === 'deployment';

/** The product's templates, which all tests share; or those of an app with other operations, in a folder of its own. */
export async function synthesized(operations?: readonly Registered[]): Promise<Synthesized> {
  if (operations === undefined) {
    return templatesIn(await assembly());
  }
  return resynthesized({ operations });
}

/** Templates in a folder of their own. */
export async function resynthesized(options: AppOptions): Promise<Synthesized> {
  const outdir = await mkdtemp(join(tmpdir(), 'switchboard-templates-'));
  const app = await buildApp({ ...options, outdir });
  app.synth();
  return templatesIn(outdir, async () => {
    await rm(outdir, { recursive: true, force: true });
  });
}

/** The templates in this folder. */
export async function templatesIn(
  outdir: string,
  remove: () => Promise<void> = async () => undefined,
): Promise<Synthesized> {
  const files = await readdir(outdir);
  const ending = (end: string) =>
    Promise.all(
      files
        .filter((file) => file.endsWith(end))
        .map(async (file) => ({ file, text: await readFile(join(outdir, file), 'utf8') })),
    );
  const assets = new Map(
    (await ending('.assets.json')).flatMap(({ text }) =>
      Object.entries(JSON.parse(text).files as Record<string, { source: { path: string } }>).map(
        ([hash, { source }]) => [hash, source.path] as const,
      ),
    ),
  );
  const templates = (await ending('.template.json')).map(({ file, text }) => templateOf(file, text, assets));
  return {
    outdir,
    templates,
    ofType: (type) =>
      templates.flatMap((template) =>
        Object.entries(template.resources)
          .filter(([, { Type }]) => Type === type)
          .map(([id, { Properties }]) => ({ id, template, Properties })),
      ),
    remove,
  };
}

function templateOf(file: string, text: string, assets: ReadonlyMap<string, string>): Template {
  const { Resources, Parameters = {}, Outputs = {} } = JSON.parse(text);
  const nested = Object.entries(Resources as Template['resources']).flatMap(([id, { Type, Properties }]) => {
    const [, hash = ''] = /([0-9a-f]{64})\.json/.exec(JSON.stringify(Properties?.TemplateURL ?? '')) ?? [];
    const found = assets.get(hash);
    return Type === 'AWS::CloudFormation::Stack' && found !== undefined ? [[id, found]] : [];
  });
  const parts = { resources: Resources, parameters: Parameters, outputs: Outputs };
  return { file, text, ...parts, nested: Object.fromEntries(nested) };
}

/** The logical id behind a `Ref`, a `Fn::GetAtt` or a `Fn::Join` that holds one; of the first one there is. */
export function referenced(value: unknown): string | undefined {
  const found = /"(?:Ref|Fn::GetAtt)":\[?"(?!AWS::)([A-Za-z0-9]+)"/.exec(JSON.stringify(value));
  return found?.[1];
}

/** The resource behind a reference in this template; of an output of a nested stack, the resource there. */
export function behind(
  app: Synthesized,
  template: Template,
  value: unknown,
): { template: Template; id: string } | undefined {
  const [, id, output] =
    /"(?:Ref|Fn::GetAtt)":\[?"(?!AWS::)([A-Za-z0-9]+)"(?:,"Outputs\.([A-Za-z0-9]+)")?/.exec(
      JSON.stringify(value),
    ) ?? [];
  if (id === undefined || output === undefined) {
    return id === undefined ? undefined : { template, id };
  }
  const nested = app.templates.find(({ file }) => file === template.nested[id]);
  return nested && behind(app, nested, nested.outputs[output]?.Value);
}

/** The name of a function: its tag `Name`, because the physical name is generated at deployment. */
export function resourceName(Properties: Resource['Properties']): string | undefined {
  return Properties.Tags?.find(({ Key }: { Key: string }) => Key === 'Name')?.Value;
}

/** The function of this name. */
export function functionNamed({ ofType }: Synthesized, name: string) {
  const found = ofType('AWS::Lambda::Function').filter(({ Properties }) => resourceName(Properties) === name);
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`There are ${found.length} functions for ${name}`);
  }
  return found[0];
}

/** The event source mapping from the table to a function. */
export function mappingNamed(app: Synthesized, name: string) {
  const { id, template } = functionNamed(app, name);
  const found = app
    .ofType('AWS::Lambda::EventSourceMapping')
    .filter((one) => one.template === template && referenced(one.Properties.FunctionName) === id);
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`${name} is fed by ${found.length} mappings`);
  }
  return found[0];
}

export interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

/** The statements in the role of an operation's function. */
export function statementsFor(app: Synthesized, name: string): Statement[] {
  const { template, Properties } = functionNamed(app, name);
  const role = template.resources[referenced(Properties.Role) ?? ''];
  if (role?.Properties.ManagedPolicyArns !== undefined) {
    throw new Error(`The role of ${name} has managed policies`);
  }
  return (
    role?.Properties.Policies.flatMap((policy: Resource['Properties']) => policy.PolicyDocument.Statement) ??
    []
  );
}

/** All actions of the statements, sorted. */
export function allowedActions(statements: readonly Statement[]): string[] {
  return statements.flatMap(({ Action }) => Action).sort();
}
