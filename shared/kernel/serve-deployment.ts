import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { served } from './served.ts';
import type { DeploymentOperation } from './trigger.ts';

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

/** The Lambda handler of a deployment step: runs it on create and update, leaves everything on delete, and always reports back. */
export function serveDeployment(
  name: string,
  operation: DeploymentOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event: DeploymentEvent) => Promise<void> {
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
  return async (event) => {
    const outcome = await outcomeOf(event);
    // A report that does not arrive fails the invocation, and Lambda tries again: what was done is never reported as failed.
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
    // The address is signed for an empty content type: with any other it answers SignatureDoesNotMatch.
    headers: { 'content-type': '' },
    body: JSON.stringify({ StackId, RequestId, LogicalResourceId, ...outcome }),
  });
  if (!response.ok) {
    throw new Error(`CloudFormation refused the report: ${response.status} ${await response.text()}`);
  }
}
