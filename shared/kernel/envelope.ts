import * as z from 'zod/mini';
import { anyText } from './fields.ts';

/** Answers where the specification leaves the envelope open. Source: decisions 1, "Envelope". */
const success = z.literal(true);

/** `{success: true, data}` */
export function dataAnswer<Data extends z.ZodMiniType>(data: Data) {
  return z.object({ success, data });
}

/** `{success: true, message}` */
export function messageAnswer() {
  return z.object({ success, message: anyText });
}

/** `{success: true, message, data}` */
export function changeAnswer<Data extends z.ZodMiniType>(data: Data) {
  return z.object({ success, message: anyText, data });
}
