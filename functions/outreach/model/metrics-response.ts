import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, calendarDay, dateTime } from '../../../shared/kernel/schemas/fields.ts';

const count = z.int();
const counts = { leads: count, newContacts: count, duplicates: count, applications: count };
const countDescriptions = {
  leads: 'Leads that were accepted; a repetition is not counted.',
  newContacts: 'Leads that became a new contact.',
  duplicates: 'Leads whose number a contact already had.',
  applications: 'Applications that were created.',
};
const textOrNull = z.nullable(anyString);

/** Source: decisions 10, "Outreach metrics". */
export const MetricsResponse = described(
  z.object({
    totals: described(z.object(counts), countDescriptions),
    bySource: z.array(
      described(z.object({ source: textOrNull, ...counts }), {
        source:
          'The source, as it was spelled first in this time if it was spelled in several cases; null for leads of configurations without one.',
        ...countDescriptions,
      }),
    ),
    byConfiguration: z.array(
      described(z.object({ configurationId: anyString, name: textOrNull, ...counts }), {
        configurationId: 'The configuration.',
        name: 'Its name; null for a configuration that was deleted.',
        ...countDescriptions,
      }),
    ),
    byDay: z.array(
      described(z.object({ date: calendarDay, ...counts }), {
        date: 'The day, in the time zone of the organization.',
        ...countDescriptions,
      }),
    ),
    computedAt: dateTime,
    cached: anyBoolean,
  }),
  {
    totals: 'All leads of the range together.',
    bySource: 'By source, the largest first.',
    byConfiguration: 'By configuration, the largest first.',
    byDay: 'By day: every day of the range.',
    computedAt: 'When the figures were computed.',
    cached: 'Whether they come from the cache.',
  },
  { id: 'OutreachMetrics', description: 'How many leads came in, and what became of them.' },
);
