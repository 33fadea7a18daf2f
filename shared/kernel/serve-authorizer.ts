import { described, newCall, type Providers, type Runtime, systemRuntime } from './runtime.ts';
import type { AuthorizerOperation } from './trigger.ts';

/** The part of the authorizer's event that the kernel reads. */
export interface AuthorizerEvent {
  headers?: Record<string, string | undefined>;
}

/** The gateway's "simple response". It always lets the request pass, annotated: the kernel refuses, in the contract's words. */
export interface AuthorizerResult {
  isAuthorized: true;
  context: Record<string, string | number>;
}

export function serveAuthorizer(
  name: string,
  operation: AuthorizerOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event: AuthorizerEvent) => Promise<AuthorizerResult> {
  return async ({ headers }) => {
    const call = newCall(runtime, providers);
    try {
      const verdict = await operation.run(
        { authorization: headers?.authorization ?? '' },
        { ...call.ports(operation.uses, undefined), ...call.moment },
      );
      return {
        isAuthorized: true,
        context: typeof verdict === 'string' ? { refusal: verdict } : { ...verdict },
      };
    } catch (error) {
      runtime.log({ level: 'error', operation: name, defect: described(error) });
      throw new Error('The authorizer failed');
    }
  };
}
