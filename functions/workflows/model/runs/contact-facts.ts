import { aggregateOf, stateOf } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { currentPipelines } from '../../../../shared/contacts/known-pipelines.ts';
import { businessHours } from '../../../../shared/organizations/business-hours.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { KnownFacts } from '../execution/engine.ts';

/** Reads what steps and filters know about a contact and its organization now, in one round trip. */
export async function contactFacts(
  table: TableReader,
  contactId: string,
): Promise<Pick<KnownFacts, 'state' | 'pipelines' | 'hours'>> {
  const [aggregate, pipelines, hours] = await Promise.all([
    aggregateOf(table, contactId),
    currentPipelines(table),
    table.read(businessHours.key),
  ]);
  return {
    state: aggregate && stateOf(aggregate),
    pipelines: pipelines.data.pipelines,
    hours: hours?.data ?? businessHours.initial,
  };
}
