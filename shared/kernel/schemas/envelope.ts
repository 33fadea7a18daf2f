import * as z from 'zod/mini';
import { described } from './descriptions.ts';
import { anyString } from './fields.ts';

/** The envelopes of responses that the specification leaves open. Source: decisions 1, "Envelope". */
const success = z.literal(true);

const descriptions = {
  success: 'Always true.',
  message: 'What was done, in a sentence.',
};

/** A body that says it succeeded. */
export const ok = <Body extends object>(body: Body) => ({ success: true as const, ...body });

/** `{success: true, data}` */
export function dataResponse<Data extends z.ZodMiniType>(data: Data) {
  return described(z.object({ success, data }), {
    success: descriptions.success,
    data: 'The requested data.',
  });
}

/** `{success: true, message}` */
export function messageResponse() {
  return described(z.object({ success, message: anyString }), descriptions);
}

/** `{success: true, message, data}` */
export function changeResponse<Data extends z.ZodMiniType>(data: Data) {
  return described(z.object({ success, message: anyString, data }), {
    ...descriptions,
    data: 'The record as it is now.',
  });
}
