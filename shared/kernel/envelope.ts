import * as z from 'zod/mini';
import { described } from './descriptions.ts';
import { anyText } from './fields.ts';

/** Answers where the specification leaves the envelope open. Source: decisions 1, "Envelope". */
const success = z.literal(true);

const meanings = {
  success: 'Always true.',
  message: 'What was done, in a sentence.',
};

/** `{success: true, data}` */
export function dataAnswer<Data extends z.ZodMiniType>(data: Data) {
  return described(z.object({ success, data }), { success: meanings.success, data: 'What was asked for.' });
}

/** `{success: true, message}` */
export function messageAnswer() {
  return described(z.object({ success, message: anyText }), meanings);
}

/** `{success: true, message, data}` */
export function changeAnswer<Data extends z.ZodMiniType>(data: Data) {
  return described(z.object({ success, message: anyText, data }), {
    ...meanings,
    data: 'The record as it is now.',
  });
}
