import type { CallingKey } from '../caller.ts';
import { Failure } from '../failure.ts';
import type { Operation } from '../operation.ts';
import { onlyReads } from '../uses.ts';

/** The group of what is about keys. */
export const keyGroup = 'API keys';

/** The group of events: a key with other groups reads the events of those. */
export const eventGroup = 'Events';

/** The group of what agents use: each tool belongs to the group of its operation. */
export const agentGroup = 'Agents';

/** The groups that every key may use: connectors and agents begin with them, and get what the groups of the key allow. */
const groupsOfAll: readonly string[] = [keyGroup, eventGroup, agentGroup];

/** Routes that open more doors than the key itself, or close those of others. */
const closedToKeys = /^\w+ \/api\/(auth|api-keys|users)(\/|$)/;

/** Whether no API key may use the operation: it is about accounts or keys, or says so itself. */
export function isClosedToKeys(operation: Pick<Operation, 'route' | 'isClosedToKeys'>): boolean {
  return closedToKeys.test(operation.route) || operation.isClosedToKeys === true;
}

/** What of an operation decides which keys may use it. */
export type KeyedOperation = Pick<Operation, 'route' | 'isClosedToKeys' | 'uses' | 'tag'>;

/** Why the API key may not use the operation; undefined if it may. */
export function keyRefusal(operation: KeyedOperation, { access, groups }: CallingKey): string | undefined {
  if (isClosedToKeys(operation)) {
    return 'No API key may do this. Log in as a user.';
  }
  if (access === 'read' && !onlyReads(operation)) {
    return 'This API key may only read.';
  }
  const { tag } = operation;
  return groups === undefined || [...groupsOfAll, ...groups].some((group) => group === tag)
    ? undefined
    : `This API key may not use the group ${tag}.`;
}

/** @throws a 403 `Failure` for an operation that the API key may not use. */
export function requireKeyAccess(operation: KeyedOperation, key: CallingKey): void {
  const refusal = keyRefusal(operation, key);
  if (refusal !== undefined) {
    throw new Failure('FORBIDDEN', refusal);
  }
}
