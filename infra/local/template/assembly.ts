import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const Properties = z.record(z.string(), z.unknown());

const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: Properties.default({}),
      Condition: z.string().optional(),
    }),
  ),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() }))
    .default({}),
});

const Manifest = z.object({
  artifacts: z.record(z.string(), z.object({ type: z.string(), properties: Properties.default({}) })),
});

const AssetManifest = z.object({
  files: z.record(z.string(), z.object({ source: z.object({ path: z.string() }) })).default({}),
});

/** A resource of a template, its properties not yet resolved. */
export interface Resource {
  stack: Stack;
  logicalId: string;
  type: string;
  properties: Record<string, unknown>;
  condition: string | undefined;
}

export interface Stack {
  name: string;
  /** Its name in an account, by which other stacks refer to it; a nested stack gets its name only when it is deployed. */
  deployedAs?: string;
  template: z.infer<typeof Template>;
  resources: Map<string, Resource>;
  /** For a nested stack, its resource in the parent, whose property `Parameters` has the parameters of the stack. */
  nestedIn?: Resource;
}

/** A synthesized cloud assembly: what `cdk synth` wrote. */
export interface Assembly {
  /** All stacks, including nested ones. */
  stacks: Stack[];
  /** The path of each asset, by its hash: a folder with the unpacked content, or a file. */
  assets: Map<string, string>;
}

/** Reads the cloud assembly in `directory` (the folder that holds `manifest.json`). */
export async function loadAssembly(directory: string): Promise<Assembly> {
  const assembly: Assembly = { stacks: [], assets: new Map() };
  const manifest = await readJson(join(directory, 'manifest.json'), Manifest);
  const artifacts = Object.entries(manifest.artifacts);
  const ofType = (wanted: string) => artifacts.filter(([, { type }]) => type === wanted);
  if (ofType('cdk:cloud-assembly').length > 0) {
    throw new Error('The local host cannot run stages of CDK.');
  }
  for (const [, { properties }] of ofType('cdk:asset-manifest')) {
    const { files } = await readJson(join(directory, String(properties.file)), AssetManifest);
    for (const [hash, { source }] of Object.entries(files)) {
      assembly.assets.set(hash, join(directory, source.path));
    }
  }
  for (const [id, { properties }] of ofType('aws:cloudformation:stack')) {
    const stack = await addStack(assembly, id, join(directory, String(properties.templateFile)));
    stack.deployedAs = String(properties.stackName ?? id);
  }
  return assembly;
}

async function addStack(assembly: Assembly, name: string, file: string, nestedIn?: Resource): Promise<Stack> {
  const template = await readJson(file, Template);
  const stack: Stack = { name, template, resources: new Map(), ...(nestedIn && { nestedIn }) };
  assembly.stacks.push(stack);
  for (const [logicalId, { Type: type, Properties: properties, Condition: condition }] of Object.entries(
    template.Resources,
  )) {
    const resource: Resource = { stack, logicalId, type, properties, condition };
    stack.resources.set(logicalId, resource);
    if (type === 'AWS::CloudFormation::Stack') {
      const [, hash = ''] = /([0-9a-f]{64})\.json/.exec(JSON.stringify(properties.TemplateURL)) ?? [];
      const nestedFile = assembly.assets.get(hash);
      if (!nestedFile) {
        throw new Error(`The template of ${name}/${logicalId} is not an asset of the assembly.`);
      }
      await addStack(assembly, `${name}-${logicalId}`, nestedFile, resource);
    }
  }
  return stack;
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new Error(`${file} is not a file of a cloud assembly that this host can read.`, { cause });
  }
}
