import { join } from 'node:path';
import { openDurableValue } from './data/durable-file.ts';
import type { ApiPlans } from './environment.ts';
import { type HttpApiPlan, httpApi, type SocketApiPlan, socketApi } from './gateway/api-plan.ts';
import type { QueuePlan } from './queues/queue.ts';
import { type QueueMapping, queueMappings, queuePlans } from './queues/queue-plan.ts';
import { type SchedulePlan, schedules } from './schedule-plan.ts';
import type { Resource } from './template/assembly.ts';
import { applyCustomResource, CustomResourceRecords } from './template/custom-resources.ts';
import {
  type CodeByName,
  type FunctionDefinition,
  functionDefinition,
  functionNameIn,
  type StreamPlan,
  streams,
} from './template/plan.ts';
import type { Resources } from './template/resources.ts';
import { FunctionPool } from './workers/function-pool.ts';

/** Everything of an assembly that can change while the host runs. */
export interface Deployment {
  functions: FunctionDefinition[];
  http: HttpApiPlan;
  socket: SocketApiPlan;
  streams: StreamPlan[];
  queues: QueuePlan[];
  queueMappings: QueueMapping[];
  schedules: SchedulePlan[];
}

export interface DeploymentOptions {
  resources: Resources;
  code: CodeByName;
  /** The folder in which the responses of custom resources are kept. */
  directory: string;
  /** The environment of a function on this machine. */
  environmentOf(definition: FunctionDefinition, apis: ApiPlans): Record<string, string>;
  log(functionName: string, line: string): void;
}

/** Runs the deployment steps of the templates, then reads the functions, APIs, streams, queues and schedules from them. */
export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const { resources, code, environmentOf } = options;
  const apis = { http: httpApi(resources), socket: socketApi(resources) };
  const sources = {
    streams: streams(resources),
    queues: queuePlans(resources),
    queueMappings: queueMappings(resources),
    schedules: schedules(resources),
  };
  const definitionOf = (resource: Resource) => {
    const definition = functionDefinition(resources, code, resource);
    return { ...definition, environment: environmentOf(definition, apis) };
  };
  await applyCustomResources(options, definitionOf);
  return {
    functions: resources.ofType('AWS::Lambda::Function').map(definitionOf),
    ...apis,
    ...sources,
  };
}

async function applyCustomResources(
  { resources, directory, log }: DeploymentOptions,
  definitionOf: (resource: Resource) => FunctionDefinition,
): Promise<void> {
  const file = join(directory, 'custom-resources.json');
  const records = await openDurableValue({ file, schema: CustomResourceRecords, initial: {} });
  const pool = new FunctionPool({ log });
  const functions = resources.ofType('AWS::Lambda::Function');
  try {
    for (const resource of resources.customResources()) {
      const properties = resources.properties(resource) as Record<string, unknown>;
      const serviceToken = String(properties.ServiceToken);
      const name = functionNameIn(serviceToken);
      const provider = functions.find((candidate) => resources.physicalName(candidate) === name);
      if (!provider) {
        throw new Error(`The templates have no function ${name}, behind ${resource.logicalId}.`);
      }
      pool.define([definitionOf(provider)]);
      const key = `${resource.stack.name}/${resource.logicalId}`;
      const previous = records.current()[key];
      const applied = await applyCustomResource({
        invoke: (event) => pool.invoke(name, event),
        logicalId: resource.logicalId,
        resourceType: resource.type,
        serviceToken,
        properties,
        ...(previous && { previous }),
      });
      await records.change((former) => ({ ...former, [key]: { ...applied, properties } }));
      resources.responded(resource, applied);
    }
  } finally {
    await pool.stop();
  }
}
