import type { ContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { BusinessHours } from '../../../../shared/organizations/business-hours.ts';
import type { Pipeline } from '../../../../shared/pipelines/pipeline.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Run } from '../runs/run.ts';

/** What a step may depend on, read before it is decided. */
export interface Facts {
  /** The contact with its conversations and applications; undefined once it is gone. */
  readonly state: ContactState | undefined;
  readonly pipelines: readonly Pipeline[];
  readonly hours: BusinessHours;
  /** The owner of the workflow with the role that the user has now; undefined for one who is disabled or gone. */
  readonly owner: Caller | undefined;
  /** The fields of the event that started the run. */
  readonly event: Readonly<Record<string, unknown>>;
  /** What earlier steps told, by node: `status`, `way`, `reason`, and the ids of what they made. Only where the plan asks for it. */
  readonly steps: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Where a type of node reads what it alone needs. */
export interface FactSources {
  readonly table: TableReader;
  readonly facts: Facts;
  readonly run: Run;
  /** The node whose step is decided. */
  readonly nodeId: string;
  readonly now: Date;
}
