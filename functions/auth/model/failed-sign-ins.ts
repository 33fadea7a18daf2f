import { encodeTime } from 'ulid';
import { type LogEntry, logEntryEnd, logEntryKey } from '../../../shared/events/log-entry.ts';
import { systemActor } from '../../../shared/kernel/actor.ts';
import { minute, timestamp } from '../../../shared/kernel/time.ts';
import type { TableChange } from '../../../shared/kernel/trigger.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import type { Account } from './throttle.ts';

/** How long the failed sign-ins of an account are one entry. Source: integrations 1. */
const period = 15 * minute;

/** A failed sign-in, as the record of a throttle shows it. */
export interface FailedSignIn extends Account {
  /** Of the entry: of the user and the quarter of an hour. */
  readonly id: string;
  readonly since: Date;
  /** Tells it from all others of the entry. */
  readonly mark: string;
}

/** The failed sign-in that a change of a throttle counts; none for a change of another kind, and where nobody has an account. */
export function failedSignIn({ partition, attributes }: TableChange): FailedSignIn[] {
  const { failures, lastFailureAt, organizationId, userId } = attributes;
  if (
    typeof failures !== 'number' ||
    typeof lastFailureAt !== 'number' ||
    typeof organizationId !== 'string' ||
    typeof userId !== 'string'
  ) {
    return [];
  }
  const since = Math.floor(lastFailureAt / period) * period;
  // Hexadecimal digits are digits of a ULID, too.
  const id = encodeTime(since) + hexDigest(userId).slice(0, 16).toUpperCase();
  const mark = `${lastFailureAt}-${failures}-${hexDigest(partition).slice(0, 8)}`;
  return [{ organizationId, userId, id, since: new Date(since), mark }];
}

const hexDigest = (text: string) => Buffer.from(toDigest(text), 'base64url').toString('hex');

/** Adds failed sign-ins of one entry to it. What it has already is not counted twice: a change may come again. */
export async function addFailedSignIns(table: TableWriter, failures: readonly FailedSignIn[]): Promise<void> {
  const [first] = failures;
  if (first === undefined) {
    return;
  }
  const { id, userId, since } = first;
  const at = timestamp(since);
  await table.optimistically(async () => {
    const stored = await table.read(logEntryKey(id));
    const before = stored?.data.failures ?? [];
    const marks = [...new Set([...before, ...failures.map(({ mark }) => mark)])];
    if (marks.length === before.length) {
      return;
    }
    const entry: LogEntry = {
      ...{ _id: id, event: 'user_sign_in_failed', at, actor: systemActor },
      ...{ entity: { type: 'user', id: userId }, changed: [], failures: marks },
    };
    const expiresAt = logEntryEnd(at);
    await table.commit([
      stored === undefined
        ? table.add(logEntryKey(id), entry, { expiresAt })
        : table.replace(stored, entry, { expiresAt }),
    ]);
  });
}
