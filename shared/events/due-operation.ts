import type { Deadline } from '../kernel/deadline.ts';
import type { ClockAndIds, Ports, Uses } from '../kernel/operation.ts';
import { type Untyped, untyped } from '../kernel/trigger.ts';
import type { Action } from '../table/table.ts';
import type { DueEntry, DueKind } from './due-entry.ts';

interface DueDefinition<U extends Uses> {
  /** The kind of entries whose work it does; no other operation does it. */
  readonly on: DueKind;
  readonly summary: string;
  readonly uses: U;
  /**
   * Does what is due, and commits `end` in the transaction of its effect, even if nothing is left to do: so it happens once, however many
   * runs try, and never if the entry was cancelled or rescheduled. Returns the outcome, which the log line of the run counts. If it
   * fails, later runs try again.
   */
  run(
    entry: DueEntry,
    context: Ports<U> & ClockAndIds & { readonly end: Action; readonly deadline: Deadline },
  ): Promise<string>;
}

/** Does what is due of one kind. `scheduleAction` writes an entry; a message runs the operation at its time, or the clock within a minute. */
export type DueOperation = Untyped<'due', DueDefinition<Uses>>;

export const dueOperation = <const U extends Uses>(definition: DueDefinition<U>) =>
  untyped<DueOperation>('due', definition);

/** Does what is due by the operation for its kind. */
export interface DueOperations {
  /** @param end ends the entry, as an action of the operation's transaction. @returns the outcome. */
  run(entry: DueEntry, end: Action): Promise<string>;
}
