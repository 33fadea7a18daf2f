import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

/** Without an envelope. Source: specification, "PUT …/missed-call-message". */
export const MissedCallAnswer = z
  .object({ missedCallMessage: anyText, missedCallAutoMessageEnabled: yesOrNo })
  .check(z.meta({ id: 'MissedCallMessage' }));
