import type { AiModel } from '../ai/model.ts';
import type { DueReminder } from '../reminders/reminder.ts';
import type { Timestamp } from '../time.ts';
import type { Key, Range } from './key.ts';

/** Every key of the platform's space: what all organizations share. */
export const platformKeys = {
  aiModel: (id: string): Key<AiModel> => ({ partition: ['AI'], sort: ['MODEL', id] }),
  /** The lock that makes the name for gateways unique. */
  aiModelName: (digest: string): Key<{ modelId: string }> => ({ partition: ['AI'], sort: ['NAME', digest] }),
  /** A reminder that has not fired, in the hour in which it is to. */
  dueReminder: (hour: string, { remindAt, organizationId, _id }: DueReminder): Key<DueReminder> => ({
    partition: ['DUE', hour],
    sort: [remindAt, organizationId, _id],
  }),
  /** Before which hour no reminder is left that has not fired. */
  firingProgress: (): Key<{ hour: string }> => ({ partition: ['DUE'], sort: ['PROGRESS'] }),
} as const;

export const platformRanges = {
  aiModels: (): Range<AiModel> => ({ partition: ['AI'], under: ['MODEL'] }),
  /** Those of an hour that are for a time up to this one, the earliest first. */
  dueReminders: (hour: string, until: Timestamp): Range<DueReminder> => ({
    partition: ['DUE', hour],
    between: { from: ' ', to: `${until}~` },
  }),
} as const;
