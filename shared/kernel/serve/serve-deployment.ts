import type { DeploymentOperation } from '../trigger.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { served } from './served.ts';

/** CloudFormation's request to a custom resource. */
export interface DeploymentEvent {
  RequestType: 'Create' | 'Update' | 'Delete';
  ResponseURL: string;
  StackId: string;
  RequestId: string;
  LogicalResourceId: string;
  PhysicalResourceId?: string;
  ResourceProperties: Record<string, string>;
}

/**
 * The Lambda handler of a deployment step. It runs the step on create and update, does nothing on delete, and always reports
 * back.
 */
export function serveDeployment(
  name: string,
  operation: DeploymentOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event: DeploymentEvent, context?: unknown) => Promise<void> {
  const outcomeOf = served<DeploymentEvent, Record<string, unknown>>(
    { name, providers, runtime },
    {
      isQuiet: true,
      async run({ RequestType, ResourceProperties }, { clock, ports }) {
        const context = { ...ports(operation.uses), ...clock };
        const data = RequestType === 'Delete' ? {} : await operation.run(ResourceProperties, context);
        return { Status: 'SUCCESS', Data: data };
      },
      recover: () => ({ Status: 'FAILED', Reason: `${name} failed; its log says why` }),
    },
  );
  return async (event, context) => {
    const outcome = await outcomeOf(event, context);
    // If the report does not arrive, the invocation fails and Lambda retries it: a step that succeeded is never reported as
    // failed.
    await report(event, { PhysicalResourceId: event.PhysicalResourceId ?? name, ...outcome });
  };
}

/** @throws when CloudFormation's storage does not take the report. */
async function report(
  { ResponseURL, StackId, RequestId, LogicalResourceId }: DeploymentEvent,
  outcome: Record<string, unknown>,
): Promise<void> {
  const response = await fetch(ResponseURL, {
    method: 'PUT',
    // The address is signed for an empty content type: with any other the storage responds SignatureDoesNotMatch.
    headers: { 'content-type': '' },
    body: JSON.stringify({ StackId, RequestId, LogicalResourceId, ...outcome }),
  });
  if (!response.ok) {
    throw new Error(`CloudFormation refused the report: ${response.status} ${await response.text()}`);
  }
}
