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
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
  Conditions: Properties.default({}),
  Mappings: z.record(z.string(), z.record(z.string(), Properties)).default({}),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.unknown() }).optional() }))
    .default({}),
});

const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({ type: z.string(), properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});

const AssetManifest = z.object({
  files: z
    .record(z.string(), z.object({ source: z.object({ path: z.string(), packaging: z.string() }) }))
    .default({}),
});

/** A resource of a template, its properties not yet resolved. */
export interface Resource {
  stack: Stack;
  logicalId: string;
  type: string;
  properties: Record<string, unknown>;
  condition: string | undefined;
  /** The stack that this resource is, when it is a nested one. */
  nested?: Stack;
}

export interface Stack {
  name: string;
  template: z.infer<typeof Template>;
  resources: Map<string, Resource>;
  /** The resource of the parent that a nested stack is; its property `Parameters` has the stack's parameters. */
  nestedIn?: Resource;
}

/** A synthesized cloud assembly: what `cdk synth` wrote. */
export interface Assembly {
  /** Nested ones among them. */
  stacks: Stack[];
  /** Each asset, by its hash: the folder with its unpacked content, or the file that it is. */
  assets: Map<string, string>;
}

/** Reads the cloud assembly in `directory` (the folder that holds `manifest.json`). */
export async function loadAssembly(directory: string): Promise<Assembly> {
  const assembly: Assembly = { stacks: [], assets: new Map() };
  await addArtifacts(assembly, directory);
  return assembly;
}

async function addArtifacts(assembly: Assembly, directory: string): Promise<void> {
  const manifest = await readJson(join(directory, 'manifest.json'), Manifest);
  const artifacts = Object.entries(manifest.artifacts);
  for (const [, { type, properties }] of artifacts) {
    if (type !== 'cdk:asset-manifest') {
      continue;
    }
    const { files } = await readJson(join(directory, String(properties.file)), AssetManifest);
    for (const [hash, { source }] of Object.entries(files)) {
      assembly.assets.set(hash, join(directory, source.path));
    }
  }
  for (const [id, { type, properties }] of artifacts) {
    if (type === 'aws:cloudformation:stack') {
      await addStack(
        assembly,
        String(properties.stackName ?? id),
        join(directory, String(properties.templateFile)),
      );
    } else if (type === 'cdk:cloud-assembly') {
      await addArtifacts(assembly, join(directory, String(properties.directoryName)));
    }
  }
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
    if (type !== 'AWS::CloudFormation::Stack') {
      continue;
    }
    const [, hash = ''] = /([0-9a-f]{64})\.json/.exec(JSON.stringify(properties.TemplateURL)) ?? [];
    const nestedFile = assembly.assets.get(hash);
    if (!nestedFile) {
      throw new Error(`The template of ${name}/${logicalId} is not an asset of the assembly.`);
    }
    resource.nested = await addStack(assembly, `${name}-${logicalId}`, nestedFile, resource);
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
