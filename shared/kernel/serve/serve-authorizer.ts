import type { Claims } from '../caller.ts';
import { traceFields } from '../http/traceparent.ts';
import type { AuthorizerOperation } from '../trigger.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { served } from './served.ts';

/** The part of the authorizer's event that the kernel reads. */
export interface AuthorizerEvent {
  headers?: Record<string, string | undefined>;
}

/** The gateway's "simple response". It lets every request pass, with a context; the kernel refuses, in the contract's words. */
export interface AuthorizerResult {
  isAuthorized: true;
  context: Record<string, string | number>;
}

/** The Lambda handler of the HTTP API's authorizer. It rejects, and the gateway responds by itself, only if the authorizer fails. */
export function serveAuthorizer(
  name: string,
  operation: AuthorizerOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event: AuthorizerEvent, context?: unknown) => Promise<AuthorizerResult> {
  return served<AuthorizerEvent, AuthorizerResult>(
    { name, providers, runtime },
    {
      isQuiet: true,
      async run({ headers }, { clock, ports, note }) {
        note(traceFields(headers));
        const verdict = await operation.run(
          { authorization: headers?.authorization ?? '' },
          { ...ports(operation.uses), ...clock },
        );
        return {
          isAuthorized: true,
          context: typeof verdict === 'string' ? { refusal: verdict } : contextOf(verdict),
        };
      },
      recover() {
        throw new Error('The authorizer failed');
      },
    },
  );
}

/** The claims without nested fields, as the gateway passes them on. */
function contextOf({ key, ...claims }: Claims): AuthorizerResult['context'] {
  return key === undefined
    ? { ...claims }
    : {
        ...claims,
        keyId: key.id,
        keyDigest: key.digest,
        keyAccess: key.access,
        ...(key.groups && { keyGroups: key.groups.join(',') }),
      };
}
