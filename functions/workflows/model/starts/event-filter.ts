import { businessHours } from '../../../../shared/organizations/business-hours.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { contactFacts } from '../contact-facts.ts';
import type { TriggerRow } from '../plans/trigger-rows.ts';
import type { FieldSource } from '../rules/fields.ts';
import { type Filter, holds, needsMoreThanEvent, type Rule } from '../rules/rules.ts';
import type { Occurrence } from '../topics/topics.ts';

/** Whether filters let an occurrence pass. */
export interface EventFilter {
  passes(filter: Filter): Promise<boolean>;
}

/** The trigger nodes of a workflow whose filters let the occurrence pass. */
export async function passingNodes(
  eventFilter: EventFilter,
  { triggers }: Pick<TriggerRow, 'triggers'>,
): Promise<string[]> {
  const passes = await Promise.all(triggers.map((trigger) => eventFilter.passes(trigger)));
  return triggers.flatMap(({ nodeId }, index) => (passes[index] ? [nodeId] : []));
}

/** Whether a rule names a day, which begins and ends by the clocks of the organization. */
const namesDay = ({ value }: Rule) =>
  [value].flat().some((one) => typeof one === 'string' && /^\d{4}-\d\d-\d\d$/.test(one.trim()));

/** What a filter of the event alone never looks at. */
const unread: Omit<FieldSource['facts'], 'event'> = {
  state: undefined,
  pipelines: [],
  hours: businessHours.initial,
  steps: {},
};

/** Reads the contact, its pipelines and the hours once for all filters of an occurrence, and only if one of them asks for more than the event. */
export function eventFilterOf(table: TableReader, { contactId, fields }: Occurrence, now: Date): EventFilter {
  const eventAlone: FieldSource['facts'] = { ...unread, event: fields };
  let known: Promise<FieldSource['facts']> | undefined;
  async function read(): Promise<FieldSource['facts']> {
    return { ...(await contactFacts(table, contactId)), event: fields, steps: {} };
  }
  return {
    async passes(filter) {
      if (!needsMoreThanEvent(filter.filter) && !filter.filter.some(namesDay)) {
        return holds(filter, { facts: eventAlone, now });
      }
      known ??= read();
      return holds(filter, { facts: await known, now });
    },
  };
}
