import { relative, sep } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Uses } from '../../shared/kernel/operation.ts';
import type { PortName } from '../../shared/kernel/ports.ts';
import { stepPortUses } from '../../shared/kernel/uses.ts';
import { type FunctionPlan, type Trigger, usesIn } from '../function-plan.ts';
import { usedPorts } from '../ports.ts';
import { projectRoot } from '../project.ts';
import { type AnyOperation, ofKind, type Registered } from '../registry.ts';

/** The function of the kernel that runs operations as a Lambda handler, by what triggers it. */
const servedBy: Record<Trigger, readonly [module: string, name: string]> = {
  http: ['shared/kernel/serve/serve-http.ts', 'serveHttp'],
  socket: ['shared/kernel/serve/serve-socket.ts', 'serveSocket'],
  stream: ['shared/kernel/serve/serve-stream.ts', 'serveStream'],
  queue: ['shared/kernel/serve/serve-queue.ts', 'serveQueue'],
  orderedQueue: ['shared/kernel/serve/serve-queue.ts', 'serveQueue'],
  deferred: ['shared/kernel/serve/serve-deferred-requests.ts', 'serveDeferredRequests'],
  schedule: ['shared/kernel/serve/serve-schedule.ts', 'serveSchedule'],
  authorizer: ['shared/kernel/serve/serve-authorizer.ts', 'serveAuthorizer'],
  deployment: ['shared/kernel/serve/serve-deployment.ts', 'serveDeployment'],
};

const servedDeferring = ['shared/kernel/serve/serve-deferring-http.ts', 'serveDeferringHttp'] as const;

/** Resolves the entry points, and the modules that they load later. */
export function entries(functions: readonly FunctionPlan[]): Plugin {
  const byName = new Map(functions.map((plan) => [plan.name, plan]));
  const sources = { function: entryPoint, steps: stepsOf, due: dueOf };
  return {
    name: 'functions',
    setup({ onResolve, onLoad }) {
      for (const [namespace, sourceOf] of Object.entries(sources)) {
        onResolve({ filter: new RegExp(`^${namespace}:`) }, ({ path }) => ({
          path: path.slice(`${namespace}:`.length),
          namespace,
        }));
        onLoad({ filter: /.*/, namespace }, ({ path }) => {
          const entry = byName.get(path);
          return entry === undefined
            ? { errors: [{ text: `There is no function "${path}".` }] }
            : { contents: sourceOf(entry), loader: 'js', resolveDir: projectRoot };
        });
      }
    },
  };
}

/**
 * The source of the entry point for Lambda: the kernel, the function's operations, and for each operation the providers of exactly its
 * ports. The operations of steps are loaded when a step first performs one, and those of what is due when something first is.
 */
export function entryPoint(plan: FunctionPlan): string {
  const { name: functionName, trigger, steps = [] } = plan;
  const [{ operation: first }] = plan.operations;
  const due = dueIn(plan);
  const operations = plan.operations.filter(({ operation }) => operation.kind !== 'due');
  const isDeferring = trigger === 'http' && first.kind === 'http' && first.defers !== undefined;
  const [serveModule, serve] = isDeferring ? servedDeferring : servedBy[trigger];
  const imports = [
    ...operations.map((entry, index) => `import operation${index} from ${pathOf(entry)};`),
    ...[
      ...operations.map(({ operation }) => usesIn(plan, operation)),
      ...due.map(({ operation }) => operation.uses),
      ...steps.map(({ operation }) => stepPortUses(operation)),
    ].flatMap((uses) =>
      usedPorts(uses).flatMap(({ name, access, provider: [module, provide] }) => [
        `import { ${provide} } from './${module}';`,
        ...(name === 'asset' ? [`import ${access} from 'asset:${access}';`] : []),
      ]),
    ),
  ];
  /** The argument of a port's provider: mostly the environment, which names the deployment's resources. */
  const givenTo = (port: PortName, access: string): string => {
    if (port === 'dueOperations') {
      return listed(dueLater);
    }
    if (port === 'stepOperations') {
      return listed(performed);
    }
    return port === 'asset' ? access : 'process.env';
  };
  const providersOf = (uses: Uses) =>
    usedPorts(uses).map(
      ({ name, access, provider: [, provide] }) => `${name}: ${provide}(${givenTo(name, access)})`,
    );
  const providersIn = (uses: Uses) => () => `{ ${providersOf(uses).join(', ')} }`;
  const served = operations.map(
    ({ name, operation }, index): Served => ({
      name: `'${name}'`,
      operation: groupedOperation(operation, index),
      providers: providersIn(usesIn(plan, operation)),
    }),
  );
  const performed = steps.map((step, index) => ({
    name: `'${step.name}'`,
    load: `async () => (await import('steps:${functionName}')).operation${index}`,
    providers: providersIn(stepPortUses(step.operation)),
  }));
  const dueLater = due.map((entry, index) => ({
    name: `'${entry.name}'`,
    on: `'${entry.operation.on}'`,
    load: `async () => (await import('due:${functionName}')).operation${index}`,
    providers: providersIn(entry.operation.uses),
  }));
  const [{ name, operation, providers }] = served as [Served, ...Served[]];
  const argumentList =
    trigger === 'stream' || trigger === 'deferred' ? listed(served) : `${name}, ${operation}, ${providers()}`;
  return [
    `import { ${serve} } from './${serveModule}';`,
    ...new Set(imports),
    `export const handler = ${serve}(${argumentList});`,
  ].join('\n');
}

/** The operation with its group in the documentation, which the registry knows from its folder. */
function groupedOperation(operation: AnyOperation, index: number): string {
  return operation.kind === 'http' && operation.tag !== undefined
    ? `{ ...operation${index}, tag: '${operation.tag}' }`
    : `operation${index}`;
}

/** The source of the module with the operations that a function performs in steps. */
const stepsOf = ({ steps = [] }: FunctionPlan) => exported(steps);

/** The source of the module with the operations of what is due. */
const dueOf = (plan: FunctionPlan) => exported(dueIn(plan));

const dueIn = ({ operations }: FunctionPlan) => ofKind(operations, 'due');

function exported(operations: readonly Registered[]): string {
  return operations
    .map((operation, index) => `export { default as operation${index} } from ${pathOf(operation)};`)
    .join('\n');
}

const pathOf = ({ file }: Registered) => `'./${relative(projectRoot, file).replaceAll(sep, '/')}'`;

/** An operation in the source of an entry point. */
interface Served {
  readonly name: string;
  readonly operation: string;
  providers(): string;
}

/** An operation of a step, or of what is due, which is loaded when it is performed. */
type Performed = Omit<Served, 'operation'> & { readonly load: string; readonly on?: string };

function listed(all: readonly (Served | Performed)[]): string {
  const items = all.map(
    ({ providers, ...fields }) =>
      `{ ${Object.entries(fields)
        .map(([field, source]) => `${field}: ${source}`)
        .join(', ')}, providers: ${providers()} }`,
  );
  return `[${items}]`;
}
