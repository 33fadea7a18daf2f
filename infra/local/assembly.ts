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
  Parameters: z.record(z.string(), z.object({ Default: z.unknown() })).default({}),
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
}

export interface Stack {
  name: string;
  template: z.infer<typeof Template>;
  resources: Map<string, Resource>;
}

/** A synthesized cloud assembly: what `cdk synth` wrote. */
export interface Assembly {
  stacks: Stack[];
  /** The folder with the unpacked content of each file asset, by the asset's hash. */
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
  for (const [id, { type, properties }] of Object.entries(manifest.artifacts)) {
    if (type === 'aws:cloudformation:stack') {
      const template = await readJson(join(directory, String(properties.templateFile)), Template);
      assembly.stacks.push(stackOf(String(properties.stackName ?? id), template));
    } else if (type === 'cdk:asset-manifest') {
      const { files } = await readJson(join(directory, String(properties.file)), AssetManifest);
      for (const [hash, { source }] of Object.entries(files)) {
        assembly.assets.set(hash, join(directory, source.path));
      }
    } else if (type === 'cdk:cloud-assembly') {
      await addArtifacts(assembly, join(directory, String(properties.directoryName)));
    }
  }
}

function stackOf(name: string, template: z.infer<typeof Template>): Stack {
  const stack: Stack = { name, template, resources: new Map() };
  for (const [logicalId, { Type: type, Properties: properties, Condition: condition }] of Object.entries(
    template.Resources,
  )) {
    stack.resources.set(logicalId, { stack, logicalId, type, properties, condition });
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
