import type { CallingKey } from '../caller.ts';
import { Failure } from '../failure.ts';
import type { Operation } from '../operation.ts';
import { onlyReads } from '../uses.ts';

/** The group of what is about keys. */
export const keyGroup = 'API keys';

/** The group of events: a key with other groups reads the events of those. */
export const eventGroup = 'Events';

/** The groups that every key may use: a connector tries a key with the one, and follows events with the other. */
const groupsOfAll: readonly string[] = [keyGroup, eventGroup];

/** Routes that open more doors than the key itself, or close those of others. */
const closedToKeys = /^\w+ \/api\/(auth|api-keys|users)(\/|$)/;

/** Whether no API key may use the operation: it is about accounts or keys, or about secrets. */
export function isClosedToKeys({
  route,
  handlesSecret,
}: Pick<Operation, 'route' | 'handlesSecret'>): boolean {
  return closedToKeys.test(route) || handlesSecret === true;
}

/** @throws a 403 `Failure` for an operation that the API key may not use. */
export function requireKeyAccess(operation: Operation, { access, groups }: CallingKey): void {
  if (isClosedToKeys(operation)) {
    throw new Failure('FORBIDDEN', 'No API key may do this. Log in as a user.');
  }
  if (access === 'read' && !onlyReads(operation)) {
    throw new Failure('FORBIDDEN', 'This API key may only read.');
  }
  const { tag } = operation;
  if (groups !== undefined && ![...groupsOfAll, ...groups].some((group) => group === tag)) {
    throw new Failure('FORBIDDEN', `This API key may not use the group ${tag}.`);
  }
}
