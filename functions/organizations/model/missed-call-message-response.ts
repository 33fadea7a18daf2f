import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString } from '../../../shared/kernel/schemas/fields.ts';

/** Without an envelope. Source: specification, "PUT …/missed-call-message". */
export const MissedCallMessageResponse = described(
  z.object({ missedCallMessage: anyString, missedCallAutoMessageEnabled: anyBoolean }),
  {
    missedCallMessage: 'The text, with placeholders like `{{contactName}}`; empty when there is none.',
    missedCallAutoMessageEnabled: 'Whether callers whose call was missed are sent the text.',
  },
  { id: 'MissedCallMessage', description: 'The text message for callers whose call nobody answered.' },
);
