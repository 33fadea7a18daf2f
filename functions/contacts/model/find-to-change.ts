import { type ContactAggregate, findAggregate } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { type Pipeline, readPipelines, type Stage } from '../../../shared/contacts/pipeline.ts';
import { stageById } from '../../../shared/contacts/stages.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** A contact before a change. */
interface ContactToChange {
  readonly aggregate: ContactAggregate;
  readonly before: StoredContact;
  /** The stage that it is in. */
  readonly stage: Stage | undefined;
  /** All of the organization. */
  readonly pipelines: readonly Pipeline[];
}

/** A contact that the caller may see, for a change; in one round trip. @throws a 404 `Failure` otherwise. */
export async function findToChange(
  table: TableReader,
  caller: Caller,
  contactId: string,
): Promise<ContactToChange> {
  const [aggregate, { data }] = await Promise.all([
    findAggregate(table, caller, contactId),
    readPipelines(table),
  ]);
  const before = aggregate.contact.data;
  const { pipelines } = data;
  return { aggregate, before, pipelines, stage: stageById(pipelines, before.stageId) };
}
