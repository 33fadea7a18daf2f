import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

const OpeningHours = z.exactOptional(z.object({ enabled: yesOrNo, start: anyText, end: anyText }));

/** Source: specification, "Business-hours configuration". */
export const BusinessHoursAnswer = z
  .object({
    timezone: anyText,
    businessHours: z.nullable(
      z.object({
        monday: OpeningHours,
        tuesday: OpeningHours,
        wednesday: OpeningHours,
        thursday: OpeningHours,
        friday: OpeningHours,
        saturday: OpeningHours,
        sunday: OpeningHours,
      }),
    ),
    holidays: z.array(z.object({ date: anyText, label: anyText })),
    exceptionalHours: z.array(
      z.object({
        date: anyText,
        closed: yesOrNo,
        start: z.exactOptional(anyText),
        end: z.exactOptional(anyText),
        label: anyText,
      }),
    ),
    allowUserBusinessHoursOverride: yesOrNo,
  })
  .check(z.meta({ id: 'BusinessHours' }));
