import * as z from 'zod/mini';
import { anyString } from '../../../shared/kernel/schemas/fields.ts';

/** The query of the address to which the provider reports about a message. */
export const CallbackQuery = z.looseObject({
  organization: z.optional(anyString),
  conversation: z.optional(anyString),
  message: z.optional(anyString),
  from: z.optional(anyString),
});
export type CallbackQuery = z.output<typeof CallbackQuery>;

export const callbackDescriptions = {
  organization: 'In the address that the service gives to the provider: the organization.',
  conversation: 'In that address: the conversation.',
  message: 'In that address: the message.',
  from: 'In that address: the number that the message is sent from, if it belongs to the organization.',
};
