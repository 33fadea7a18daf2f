import type { Caller } from './caller.ts';
import type { Operation } from './operation.ts';
import type { AnyRequest } from './request.ts';

/** Who did something. `name` only where it was known anyway. */
export type Actor =
  | {
      readonly type: 'user';
      readonly id: string;
      /** The user's own. Events name it only in other organizations, where a SUPERADMIN acts. */
      readonly organizationId?: string;
    }
  /** A program with an API key, which acts as a user. */
  | { readonly type: 'key'; readonly id: string; readonly userId: string }
  /** A step of a run, which is `id`. */
  | { readonly type: 'workflow'; readonly id: string; readonly workflowId: string }
  /** A provider's webhook, by the name in its path. */
  | { readonly type: 'provider'; readonly id: string; readonly name: string }
  /** A lead source, by its outreach configuration. */
  | { readonly type: 'lead'; readonly id: string }
  /** The service itself: what was due, and what follows from other changes. */
  | { readonly type: 'system' };

export const actorTypes = [
  'user',
  'key',
  'workflow',
  'provider',
  'lead',
  'system',
] as const satisfies Actor['type'][];

/** Where the writes of an invocation come from. */
export interface Origin {
  readonly actor: Actor;
  /** The request, if there is one. */
  readonly requestId?: string;
  /** The job that changes many records, if it is one. */
  readonly jobId?: string;
}

export const systemActor: Actor = { type: 'system' };

/** The actor of a request with claims. */
export function callingActor({ userId, key, homeOrganizationId }: Caller): Actor {
  return key === undefined
    ? { type: 'user', id: userId, organizationId: homeOrganizationId }
    : { type: 'key', id: key.id, userId };
}

/** Where a request comes from that has no claims. */
export function requestOrigin({ actor }: Pick<Operation, 'actor'>, request: AnyRequest): Origin {
  return { actor: actor?.(request) ?? systemActor, requestId: request.sent.requestId };
}

/** The actor of a webhook whose path names its provider. */
export function providerActor({
  path: { provider },
}: {
  readonly path: { readonly provider: string };
}): Actor {
  return { type: 'provider', id: provider, name: provider };
}
