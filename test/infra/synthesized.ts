import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../infra/app.ts';
import type { Registered } from '../../infra/registry.ts';
import { assembly } from '../harness/assembly.ts';
import type { Json } from '../harness/json.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Json;
}

export interface Template {
  readonly file: string;
  readonly resources: Readonly<Record<string, Resource>>;
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
    return templatesIn(await assembly(), async () => undefined);
  }
  const outdir = await mkdtemp(join(tmpdir(), 'switchboard-templates-'));
  const app = await buildApp({ outdir, operations });
  app.synth();
  return templatesIn(outdir, () => rm(outdir, { recursive: true, force: true }));
}

async function templatesIn(outdir: string, remove: () => Promise<void>): Promise<Synthesized> {
  const files = (await readdir(outdir)).filter((file) => file.endsWith('.template.json'));
  const templates = await Promise.all(
    files.map(
      async (file): Promise<Template> => ({
        file,
        resources: JSON.parse(await readFile(join(outdir, file), 'utf8')).Resources,
      }),
    ),
  );
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

/** The logical id behind a `Ref`, a `Fn::GetAtt` or a `Fn::Join` that holds one; of the first one there is. */
export function referenced(value: unknown): string | undefined {
  const found = /"(?:Ref|Fn::GetAtt)":\[?"(?!AWS::)([A-Za-z0-9]+)"/.exec(JSON.stringify(value));
  return found?.[1];
}

/** The function of this name. */
export function functionOf({ ofType }: Synthesized, name: string) {
  const found = ofType('AWS::Lambda::Function').filter(
    ({ Properties }) => Properties.FunctionName === `Switchboard-${name}`,
  );
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`There are ${found.length} functions for ${name}`);
  }
  return found[0];
}

/** What feeds a function with changes of the table. */
export function mappingOf(app: Synthesized, name: string) {
  const { id, template } = functionOf(app, name);
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

/** What the role of an operation's function may do. */
export function statementsOf(app: Synthesized, name: string): Statement[] {
  const { template, Properties } = functionOf(app, name);
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
export function actionsOf(statements: readonly Statement[]): string[] {
  return statements.flatMap(({ Action }) => Action).sort();
}
