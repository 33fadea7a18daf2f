import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/descriptions.ts';
import { anyText, yesOrNo } from '../../../shared/kernel/fields.ts';

/** Without an envelope. Source: specification, "PUT …/missed-call-message". */
export const MissedCallResponse = described(
  z.object({ missedCallMessage: anyText, missedCallAutoMessageEnabled: yesOrNo }),
  {
    missedCallMessage: 'The text, with placeholders like `{{contactName}}`; empty when there is none.',
    missedCallAutoMessageEnabled: 'Whether a caller who was missed is sent the text.',
  },
  { id: 'MissedCallMessage', description: 'What a caller is sent whose call nobody took.' },
);
