import { contactEvent } from '../contacts/contact-events.ts';
import type { NewEvent } from '../live/outbox.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { FoundStage } from '../pipelines/stages.ts';
import type { Step, TableWriter } from '../table/table.ts';
import type { Filed } from './contact-aggregate.ts';
import { filingSteps } from './contact-writes.ts';

/** A contact that a number becomes which nobody had: the steps that file it, and the event that tells of it. */
export interface Entering {
  readonly steps: readonly Step[];
  readonly event: NewEvent;
}

/**
 * Files a contact that comes by itself, with its conversation and so on. Whoever gets the number at the same moment is not an
 * error: the steps fail with `VersionConflict`, and the number's contact is looked up again.
 */
export function entering(
  table: TableWriter,
  filed: Filed,
  { gate }: Pick<FoundStage, 'gate'>,
  pipelines: readonly Pipeline[],
): Entering {
  return {
    steps: filingSteps(table, undefined, filed, { gate, phoneTaken: 'look again' }),
    event: contactEvent('contact_created', filed.contact, pipelines),
  };
}
