import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean } from '../../../shared/kernel/schemas/fields.ts';
import { closedActions, sendWhens } from '../../../shared/organizations/missed-call-policy.ts';

export const policyDescriptions = {
  sendWhen:
    'When the text is sent at once: always, or only while the organization is open (`business_hours`) or closed (`outside_business_hours`).',
  otherwise:
    'What happens to the text if `sendWhen` is `business_hours` and the organization is closed: it is not sent (`skip`), or it waits for the next opening (`at_opening`).',
  cooldownMinutes:
    'Minutes after such a text in which the same number gets no other, at most 43,200 (30 days); 0 for none.',
  remind:
    'Whether the user whose number was called gets a reminder to call back: one at a time for each caller.',
  notify: 'Whether that user is notified.',
};

export const MissedCallPolicyResponse = described(
  z.object({
    sendWhen: z.enum(sendWhens),
    otherwise: z.enum(closedActions),
    cooldownMinutes: z.int(),
    remind: anyBoolean,
    notify: anyBoolean,
  }),
  policyDescriptions,
  { id: 'MissedCallPolicy', description: 'What follows a missed call.' },
);
