import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

const count = z.int();
const counts = { leads: count, newContacts: count, duplicates: count, applications: count };
const textOrNull = z.nullable(anyText);

/** Source: decisions 10, "Outreach metrics". */
export const MetricsAnswer = z
  .object({
    totals: z.object(counts),
    bySource: z.array(z.object({ source: textOrNull, ...counts })),
    byConfiguration: z.array(z.object({ configurationId: anyText, name: textOrNull, ...counts })),
    byDay: z.array(z.object({ date: anyText, ...counts })),
    computedAt: anyText,
    cached: yesOrNo,
  })
  .check(
    z.meta({
      id: 'OutreachMetrics',
      description:
        '`leads` were accepted, repetitions included; of these, `newContacts` made a contact, and for `duplicates` somebody had the number already. `applications` were made. `bySource` and `byConfiguration` have the largest group first; the `name` of a deleted configuration is null. `byDay` has every day of the range, in UTC.',
    }),
  );
