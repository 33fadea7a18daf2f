// A program of its own, `node build.ts <directory>`: a module that is loaded once stays as it was, so the host itself would never see an
// edit. The program sends the host each build that can be run, as a message.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import cdk from '../../../cdk.json' with { type: 'json' };
import { bundleForHere, collectGarbageRarely } from '../../bundle/bundle.ts';
import { entryPoint } from '../../bundle/entry-points.ts';
import { type FunctionPlan, planFunctions, portsOfAll } from '../../function-plan.ts';
import { projectRoot } from '../../project.ts';
import { loadOperations, type Registered } from '../../registry.ts';
import { withoutSettings } from '../../settings.ts';
import { changedPaths, hashesOfSources } from '../../sources.ts';
import { type Build, readBuild, writeBuild } from './state.ts';
import { functionsDefinition, isTouched } from './touched.ts';

/** Builds what has changed since the last build in the directory, and publishes the result once it can be run. */
async function build(directory: string, publish: (build: Build) => Promise<void>): Promise<void> {
  const former = await readBuild(directory);
  const sources = hashesOfSources(projectRoot);
  const changed = new Set(changedPaths(former?.sources ?? {}, sources));
  if (former !== undefined && changed.size === 0 && !former.owesDocuments) {
    return;
  }
  collectGarbageRarely();
  await refuseSyntaxErrors([...changed].filter((path) => path in sources && path.endsWith('.ts')));

  const registered = await loadOperations();
  const functions = planFunctions(registered);
  const entries = Object.fromEntries(functions.map((plan) => [plan.name, entryPoint(plan)]));
  const definition = functionsDefinition(functions);
  const isPartial = former !== undefined && [...changed].every((path) => /^(functions|shared)\//.test(path));
  // The imports of a program change only with one of its files.
  const programs = [app, page].filter((file) => !isPartial || isTouched(file, changed, former.imports));
  const keepsTemplates =
    isPartial && definition === former.definition && !isTouched(app, changed, former.imports);
  const owesPage = former?.owesDocuments || isTouched(page, changed, former?.imports ?? {});
  const touched = functions.filter(
    (plan) =>
      !isPartial ||
      documentsOf(plan).some((document) => document !== 'documentation' || owesPage) ||
      entries[plan.name] !== former.entries[plan.name] ||
      isTouched(`function:${plan.name}`, changed, former.imports),
  );
  // The documents describe all operations and so change with each of them. They are built last, unless a route has changed.
  const documents = keepsTemplates ? touched.filter((plan) => documentsOf(plan).length > 0) : [];

  // Every build has a new name, because the host recognises new code by its folder.
  const name = randomUUID();
  const [bundled, importsOfPrograms] = await Promise.all([
    bundleInto(
      directory,
      `code-${name}`,
      touched.filter((plan) => !documents.includes(plan)),
      registered,
    ),
    importsOf(programs),
    keepsTemplates || synthesize(join(directory, `assembly-${name}`), registered),
  ]);
  const names = new Set(functions.map((plan) => plan.name));
  const kept = Object.entries(isPartial ? former.code : {}).filter(([file]) => names.has(file));
  const next: Build = {
    format: 2,
    owesDocuments: documents.length > 0,
    sources,
    entries,
    definition,
    assembly: keepsTemplates ? former.assembly : `assembly-${name}`,
    imports: { ...(isPartial && former.imports), ...importsOfPrograms, ...bundled.imports },
    code: { ...Object.fromEntries(kept), ...bundled.code },
  };
  await writeBuild(directory, next);
  await publish(next);
  if (documents.length === 0) {
    return;
  }

  const later = await bundleInto(directory, `documents-${name}`, documents, registered);
  const last: Build = {
    ...next,
    owesDocuments: false,
    imports: { ...next.imports, ...later.imports },
    code: { ...next.code, ...later.code },
  };
  await writeBuild(directory, last);
  await publish(last);
}

/** The program that synthesizes the templates. */
const app = 'infra/app.ts';

/** The program of the documentation page. It takes a second to build, and does not change with the operations that it shows. */
const page = 'infra/openapi/page/start.ts';

/** The imports of each file of these programs, without packages and without the bundler of functions. */
async function importsOf(programs: string[]): Promise<Record<string, string[]>> {
  if (programs.length === 0) {
    return {};
  }
  const { metafile } = await esbuild({
    absWorkingDir: projectRoot,
    entryPoints: programs,
    outdir: 'unused',
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    external: ['./bundle.ts'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return Object.fromEntries(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [path, imports.map((file) => file.path)]),
  );
}

/** Finds syntax errors before Node.js loads the operations, because the messages of Node.js are less clear. */
async function refuseSyntaxErrors(paths: string[]): Promise<void> {
  await esbuild({
    absWorkingDir: projectRoot,
    entryPoints: paths,
    outdir: 'unused',
    write: false,
    logLevel: 'silent',
  });
}

function documentsOf(plan: FunctionPlan): string[] {
  return portsOfAll(plan)
    .filter(({ name }) => name === 'asset')
    .map(({ access }) => access);
}

/** Bundles these functions into a folder of the build directory. */
async function bundleInto(
  directory: string,
  folder: string,
  functions: readonly FunctionPlan[],
  registered: readonly Registered[],
): Promise<Pick<Build, 'code' | 'imports'>> {
  if (functions.length === 0) {
    return { code: {}, imports: {} };
  }
  const imports = await bundleForHere(functions, registered, join(directory, folder));
  return { imports, code: Object.fromEntries(functions.map(({ name }) => [name, join(folder, name)])) };
}

/** Synthesizes the templates, with the names of functions in place of their code. */
async function synthesize(outdir: string, registered: readonly Registered[]): Promise<void> {
  const [{ buildApp }, { Code }] = await Promise.all([
    import('../../app.ts'),
    import('aws-cdk-lib/aws-lambda'),
  ]);
  const app = await buildApp({
    outdir,
    operations: registered,
    code: Code.fromInline,
    // Domains, restored tables and budgets belong to deployments.
    context: withoutSettings(cdk.context),
  });
  app.synth();
}

/** Resolves once the host has the message: one that is still on its way would be lost when this process disconnects. */
function sent(build: Build): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) {
      return resolve();
    }
    process.send(build, undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}

const [directory = ''] = process.argv.slice(2);
process.env.CDK_VALIDATION = 'false'; // Tests check the templates; here it would take longer than everything else.
try {
  await build(directory, sent);
} catch (error) {
  // The messages of esbuild and of the product's own checks are for a person; other errors are printed with their stack.
  console.error(error instanceof Error && error.name === 'Error' ? error.message : error);
  process.exitCode = 1;
}
process.disconnect?.();
