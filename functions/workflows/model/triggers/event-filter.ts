import { businessHours } from '../../../../shared/organizations/business-hours.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Filter, Rule } from '../definition/filter.ts';
import type { Occurrence } from '../definition/topics.ts';
import type { TriggerRow } from '../definition/triggers.ts';
import { type FieldContext, holds, needsMoreThanEvent } from '../execution/engine.ts';
import { readFieldContext } from '../runs/step-context.ts';

/** Whether filters let an occurrence pass. */
export interface EventFilter {
  passes(filter: Filter): Promise<boolean>;
}

/** The trigger nodes of a workflow whose filters let the occurrence pass. */
export async function findPassingNodes(
  eventFilter: EventFilter,
  { triggers }: Pick<TriggerRow, 'triggers'>,
): Promise<string[]> {
  const passes = await Promise.all(triggers.map((trigger) => eventFilter.passes(trigger)));
  return triggers.flatMap(({ nodeId }, index) => (passes[index] ? [nodeId] : []));
}

/** Whether a rule names a date: without an offset, in the rule or in the event, it is in the time zone of the organization. */
const namesDate = ({ value }: Rule) =>
  [value]
    .flat(Number.POSITIVE_INFINITY)
    .some((text) => typeof text === 'string' && /^\s*\d{4}-\d\d-\d\d/.test(text));

/** Whether a filter depends on the event alone. */
const isOfEventAlone = (rules: readonly Rule[]) => !(needsMoreThanEvent(rules) || rules.some(namesDate));

/** StepContext for filters that depend on the event alone, which never read these. */
const unread: Omit<FieldContext, 'event'> = {
  state: undefined,
  pipelines: [],
  hours: businessHours.initial,
  steps: {},
};

/** Reads the contact, its pipelines and the hours once for all filters of an occurrence, and only if one needs more than the event. */
export function newEventFilter(
  table: TableReader,
  { contactId, fields }: Occurrence,
  now: Date,
): EventFilter {
  const eventAlone: FieldContext = { ...unread, event: fields };
  let all: Promise<FieldContext> | undefined;
  async function read(): Promise<FieldContext> {
    return { ...(await readFieldContext(table, contactId)), event: fields, steps: {} };
  }
  return {
    async passes(filter) {
      if (isOfEventAlone(filter.filter)) {
        return holds(filter, { context: eventAlone, now });
      }
      all ??= read();
      return holds(filter, { context: await all, now });
    },
  };
}
