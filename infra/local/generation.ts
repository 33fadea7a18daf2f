import { join } from 'node:path';
import { type HttpApiPlan, httpApi, type SocketApiPlan, socketApi } from './api-plan.ts';
import type { Assembly, Resource } from './assembly.ts';
import { applyCustomResource, customResourceRecords } from './custom-resources.ts';
import { type FunctionDefinition, FunctionPool } from './functions.ts';
import { type CodeByName, functionDefinition, functionNameIn, type StreamPlan, streams } from './plan.ts';
import { NotYetAnswered, type Resources } from './resources.ts';
import { type SchedulePlan, schedules } from './schedule-plan.ts';

export interface Apis {
  http: HttpApiPlan | undefined;
  socket: SocketApiPlan | undefined;
}

/** Everything of an assembly that can change while the host runs. */
export interface Generation {
  functions: FunctionDefinition[];
  /** The physical names of functions by logical id. */
  functionNames: Record<string, string>;
  apis: Apis;
  streams: StreamPlan[];
  schedules: SchedulePlan[];
}

export interface GenerationOptions {
  assembly: Assembly;
  resources: Resources;
  code: CodeByName;
  /** Where the answers of custom resources are kept. */
  directory: string;
  /** The environment of a function on this machine. */
  environmentOf(definition: FunctionDefinition, apis: Apis): Record<string, string>;
  log(functionName: string, line: string): void;
}

/** Runs what the templates have to run at deployment, and reads from them what runs from then on. */
export async function prepareGeneration(options: GenerationOptions): Promise<Generation> {
  const { assembly, resources, code, environmentOf } = options;
  const apis = { http: httpApi(resources), socket: socketApi(resources) };
  const definitionOf = (resource: Resource) => {
    const definition = functionDefinition(resources, assembly, code, resource);
    return { ...definition, environment: environmentOf(definition, apis) };
  };
  await answerCustomResources(options, definitionOf);
  const lambdas = resources.ofType('AWS::Lambda::Function');
  return {
    functions: lambdas.map(definitionOf),
    functionNames: Object.fromEntries(
      lambdas.map((resource) => [resource.logicalId, resources.physicalName(resource)]),
    ),
    apis,
    streams: streams(resources),
    schedules: schedules(resources),
  };
}

async function answerCustomResources(
  { resources, directory, log }: GenerationOptions,
  definitionOf: (resource: Resource) => FunctionDefinition,
): Promise<void> {
  let waiting = resources.customResources();
  if (waiting.length === 0) {
    return;
  }
  const records = await customResourceRecords(join(directory, 'custom-resources.json'));
  const pool = new FunctionPool({
    mostWorkers: 2,
    mostWorkersOfOneFunction: 1,
    log,
    onSettled: () => undefined,
  });
  const answer = async (resource: Resource) => {
    const properties = resources.properties(resource) as Record<string, unknown>;
    const serviceToken = String(properties.ServiceToken);
    const name = functionNameIn(serviceToken);
    const provider = resources
      .ofType('AWS::Lambda::Function')
      .find((candidate) => resources.physicalName(candidate) === name);
    if (!provider) {
      throw new Error(`The templates have no function ${name}, behind ${resource.logicalId}.`);
    }
    pool.define([definitionOf(provider)]);
    const key = `${resource.stack.name}/${resource.logicalId}`;
    const previous = records.get(key);
    const applied = await applyCustomResource({
      invoke: (event) => pool.invoke(name, event),
      logicalId: resource.logicalId,
      resourceType: resource.type,
      serviceToken,
      properties,
      ...(previous && { previous }),
    });
    await records.put(key, { ...applied, properties });
    resources.answered(resource, applied);
  };
  try {
    while (waiting.length > 0) {
      const left: Resource[] = [];
      for (const resource of waiting) {
        await answer(resource).catch((error: unknown) => {
          if (!(error instanceof NotYetAnswered)) {
            throw error;
          }
          left.push(resource); // It needs the answer of another one first.
        });
      }
      if (left.length === waiting.length) {
        const names = left.map(({ logicalId }) => logicalId).join(', ');
        throw new Error(`Custom resources refer to each other in a circle: ${names}.`);
      }
      waiting = left;
    }
  } finally {
    await pool.stop();
  }
}
