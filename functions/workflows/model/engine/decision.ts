import type { Timestamp } from '../../../../shared/kernel/time.ts';
import type { AwaitedEvent } from '../graph/plan.ts';
import type { RefusalReason } from '../starts/guards.ts';

/** Why a step does nothing though its node is there to do something, by word: clients can rely on the words. */
export const skipReasons = {
  contact_gone: 'the contact has been deleted',
  dangling_edge: 'the edge leads to no node',
  invalid_data: 'the `data` of the node does not match its schema',
  no_application: 'the contact has no application',
  no_conversation: 'the contact has no conversation',
  no_date: 'the field has no date',
  no_number: 'the contact has no phone number',
  no_user: 'there is no user to assign or to notify',
  not_available: 'this service does not do it',
  opted_out: 'the contact has opted out of texts',
  outside_hours: 'the organization does not open',
  owner_disabled: 'the owner of the workflow is disabled or gone',
  template_gone: 'the owner of the workflow may use no such template',
  unknown_type: 'this service knows no such type',
} as const;

/** A workflow that a step may not start is a reason, too. */
export type SkipReason = keyof typeof skipReasons | RefusalReason;

/** An operation of the API that a step performs as the owner of the workflow, in the transaction of the step. */
export interface Effect {
  /** The name of the operation: its file without `.ts`. It must be declared `asStep`. */
  readonly operation: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /**
   * The receipt's name for the id of what the operation makes or changes: `noteId`. It is found in the operation's events by that name,
   * else it is that of the record that the operation adds.
   */
  readonly thing?: string;
}

/** What becomes of a step. */
export type Outcome =
  | {
      /** It goes on: along `way`, else along the default way. */
      readonly status: 'passed';
      readonly way?: string;
      readonly things?: Readonly<Record<string, string>>;
      /** Why it did nothing, if there was nothing to do. */
      readonly reason?: string;
      /** Ends the token, or the whole run. */
      readonly ends?: 'token' | 'run';
    }
  | {
      /** It does nothing, and goes on along the default way. */
      readonly status: 'skipped';
      readonly reason: SkipReason;
    }
  | {
      /** It goes on along the way `error` if there is one; otherwise the run fails. */
      readonly status: 'failed';
      /** In words, for people. */
      readonly reason: string;
      /** Fails the run even if there is a way `error`. */
      readonly ends?: 'run';
    }
  | {
      readonly status: 'waiting';
      /** Absent only for a join. */
      readonly until?: Timestamp;
      readonly awaits?: AwaitedEvent;
    };

/** What a step is to do. With an effect, the outcome is what comes of it unless the operation refuses. */
export interface Decision {
  readonly outcome: Outcome;
  readonly effect?: Effect;
  /** The turn that it takes at its node, in the same transaction. */
  readonly turn?: Turn;
}

/** Turns taken at a node, before and after a step that takes one. */
export interface Turn {
  readonly before: number;
  readonly after: number;
}
