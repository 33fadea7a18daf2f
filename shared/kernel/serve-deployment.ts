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
    const report = (outcome: Record<string, unknown>) =>
      fetch(event.ResponseURL, {
        method: 'PUT',
        body: JSON.stringify({
          StackId: event.StackId,
          RequestId: event.RequestId,
          LogicalResourceId: event.LogicalResourceId,
          PhysicalResourceId: event.PhysicalResourceId ?? name,
          ...outcome,
        }),
      });
    try {
      const context = { ...call.ports(operation.uses, undefined), ...call.moment };
      const data =
        event.RequestType === 'Delete' ? {} : await operation.run(event.ResourceProperties, context);
      await report({ Status: 'SUCCESS', Data: data });
    } catch (error) {
      runtime.log({ level: 'error', operation: name, defect: described(error) });
      await report({ Status: 'FAILED', Reason: `${name} failed; its log says why` });
    }
  };
}
