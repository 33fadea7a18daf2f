import type { Timestamp } from '../../../../shared/kernel/time.ts';
import type { SkipReason } from '../../../../shared/workflows/run-statuses.ts';
import type { AwaitedEvent } from '../definition/plan.ts';
import type { Answer, OutgoingRequest } from '../runs/run.ts';

/** An operation of the API that a step performs as the owner of the workflow, in the transaction of the step. */
export interface Effect {
  /** The name of the operation: its file without `.ts`. It must be declared `asStep`. */
  readonly operation: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /**
   * The field of the step record for the id of what the operation makes or changes: `noteId`. The id is taken from the field of this name in
   * the operation's events, or else from the record that the operation adds.
   */
  readonly resultId?: string;
}

/** The outcome of a step. */
export type Outcome =
  | {
      /** It goes on: along `way`, else along the default way. */
      readonly status: 'passed';
      readonly way?: string;
      readonly resultIds?: Readonly<Record<string, string>>;
      /** The answer to its request. */
      readonly answer?: Answer;
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
      /** It waits for the answer to a request. */
      readonly isRequest?: true;
    };

/** The decision on a step. With an effect, this is the outcome unless the operation refuses. */
export interface Decision {
  readonly outcome: Outcome;
  readonly effect?: Effect;
  /** Posted after the transaction of the step, which then waits for the answer. */
  readonly request?: OutgoingRequest;
  /** How it moves the round robin of its node, in the same transaction. */
  readonly roundRobin?: RoundRobinMove;
}

/** The position of a round robin, before and after a step that moves it. */
export interface RoundRobinMove {
  readonly before: number;
  readonly after: number;
}
