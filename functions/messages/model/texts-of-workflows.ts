import { numberLockName } from '../../../shared/contacts/phone-numbers.ts';
import { after, day, epochSeconds, hour } from '../../../shared/kernel/time.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { StepSkipped } from '../../../shared/workflows/step-skipped.ts';

/** How many texts one number gets from all workflows of an organization together. Source: the page of workflows, "Guards". */
const textsOfWorkflows = { anHour: 5, aDay: 20 } as const;

/**
 * When the last texts of workflows to a number were queued, as the native attributes `text1` (the latest) to `text20`, in milliseconds
 * since 1970. They belong to the number and not to its contact: a contact that is deleted, merged or made anew gets no more of them. It expires.
 */
export const textsOfWorkflowsKey = (lockName: string): Key<never> => ({
  partition: ['PHONE', lockName],
  sort: ['TEXTS_OF_WORKFLOWS'],
});

/** Each time moves on by one place, and the earliest is forgotten: DynamoDB takes all values from before the update. */
const noteText = [
  'text1 = :now',
  ...Array.from({ length: textsOfWorkflows.aDay - 1 }, (_, index) => {
    const [position, next] = [index + 1, index + 2];
    return `text${next} = if_not_exists(text${position}, :never)`;
  }),
  'expiresAt = :expiresAt',
].join(', ');

const hasRoom = (most: number, since: string) =>
  `(attribute_not_exists(text${most}) OR text${most} <= ${since})`;

/**
 * The action that counts a text of a workflow to this number, for the transaction that queues it.
 * @throws `StepSkipped`, when committed, if the number has got as many as it may within an hour or a day.
 */
export function oneMoreTextOfWorkflows(table: TableWriter, number: string, now: Date): Action {
  const { anHour, aDay } = textsOfWorkflows;
  const time = now.getTime();
  return table.updateAction(textsOfWorkflowsKey(numberLockName(number)), {
    update: `SET ${noteText}`,
    when: `${hasRoom(anHour, ':hourAgo')} AND ${hasRoom(aDay, ':dayAgo')}`,
    values: {
      ...{ now: time, never: 0, hourAgo: time - hour, dayAgo: time - day },
      expiresAt: epochSeconds(after(now, day)),
    },
    otherwise: () => new StepSkipped('rate_of_contact'),
  });
}
