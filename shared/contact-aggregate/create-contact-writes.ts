import { contactEvent } from '../contacts/contact-events.ts';
import type { NewEvent } from '../live/outbox.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { FoundStage } from '../pipelines/stages.ts';
import type { Step, TableWriter } from '../table/table.ts';
import type { ContactState } from './contact-aggregate.ts';
import { contactWrites } from './contact-writes.ts';

/** A contact that a number becomes which nobody had: the steps that file it, and the event that tells of it. */
export interface NewContact {
  readonly steps: readonly Step[];
  readonly event: NewEvent;
}

/**
 * Writes a contact that comes by itself, with its conversation and so on. Whoever gets the number at the same moment is not an
 * error: the steps fail with `VersionConflict`, and the number's contact is looked up again.
 */
export function createContactWrites(
  table: TableWriter,
  state: ContactState,
  { guard }: Pick<FoundStage, 'guard'>,
  pipelines: readonly Pipeline[],
): NewContact {
  return {
    steps: contactWrites(table, undefined, state, { guard, phoneTaken: 'look again' }),
    event: contactEvent('contact_created', state.contact, pipelines),
  };
}
