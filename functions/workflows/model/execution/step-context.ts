import type { ContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import type { Confirmed } from '../definition/plan.ts';
import type { Run } from '../runs/run.ts';
import type { FieldContext } from './fields.ts';

/** Everything that a step may depend on, read before it is decided. */
export interface StepContext extends FieldContext {
  /** The owner of the workflow with the role that the user has now; undefined for one who is disabled or gone. */
  readonly owner: Caller | undefined;
  /** The rights to which the run is held, if the owner has wider ones now. */
  readonly bound?: Reach;
}

/** Where a type of node reads what it alone needs. */
export interface ContextSources {
  readonly table: TableReader;
  readonly context: StepContext;
  readonly run: Run;
  /** Belongs to the run's plan. */
  readonly confirmed?: Confirmed | undefined;
  /** The node whose step is decided. */
  readonly nodeId: string;
  readonly now: Date;
}

/** The contact of a step whose type needs one: the engine skips such a step if its contact is gone. */
export function requireContact({ state }: StepContext): ContactState {
  if (state === undefined) {
    throw new Error('A step that needs its contact was decided without it');
  }
  return state;
}
