import { remember } from '../../../shared/kernel/remember.ts';
import { after, second } from '../../../shared/kernel/time.ts';
import { readUsers } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import type { KnownUser } from './audience.ts';

interface Remembered {
  /** How often users had changed, at least. */
  readonly changes: number;
  readonly readAt: Date;
  readonly users: readonly KnownUser[];
}

/** Organizations whose users a warm process caches. */
const capacity = 50;

/**
 * How long users are cached. A change through the API is seen at once, by the count of changes; this is for one that a person
 * makes in the table itself.
 */
const keptFor = 5 * second;

const remembered = new Map<string, Remembered>();

/**
 * The users of an organization, as current as this count of their changes: read it first. Remembered users serve if they are, and
 * if they include everybody in `wanted`, because a new user without a department is not counted.
 */
export async function readKnownUsers(
  table: TableReader,
  changes: number,
  wanted: Iterable<string>,
  now: Date,
): Promise<readonly KnownUser[]> {
  const known = remembered.get(table.organizationId);
  if (known !== undefined && known.changes === changes && isFresh(known, now) && includes(known, wanted)) {
    return known.users;
  }
  const users = (await readUsers(table)).map(
    ({ _id, accessRole, departmentIds, disabled, sessionsNotBefore, keptSessionId }): KnownUser => ({
      _id,
      accessRole,
      departmentIds,
      disabled,
      ...(sessionsNotBefore !== undefined && { sessionsNotBefore }),
      ...(keptSessionId !== undefined && { keptSessionId }),
    }),
  );
  remember(remembered, table.organizationId, { changes, readAt: now, users }, capacity);
  return users;
}

function isFresh({ readAt }: Remembered, now: Date): boolean {
  return readAt <= now && now < after(readAt, keptFor);
}

function includes({ users }: Remembered, wanted: Iterable<string>): boolean {
  const ids = new Set(users.map(({ _id }) => _id));
  return [...wanted].every((userId) => ids.has(userId));
}
