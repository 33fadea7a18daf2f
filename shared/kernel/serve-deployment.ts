import { described, newCall, type Providers, type Runtime, systemRuntime } from './runtime.ts';
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
  return async (event) => {
    const call = newCall(runtime, providers);
    const run = async () => {
      const context = { ...call.ports(operation.uses, undefined), ...call.moment };
      return event.RequestType === 'Delete' ? {} : operation.run(event.ResourceProperties, context);
    };
    const outcome = await run().then(
      (data) => ({ Status: 'SUCCESS', Data: data }),
      (error: unknown) => {
        runtime.log({ level: 'error', operation: name, defect: described(error) });
        return { Status: 'FAILED', Reason: `${name} failed; its log says why` };
      },
    );
    // A report that does not arrive fails the call, and Lambda calls again: what was done is never reported as failed.
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
