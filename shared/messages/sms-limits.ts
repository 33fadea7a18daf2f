import * as z from 'zod/mini';
import { anyString, atMost } from '../kernel/schemas/fields.ts';

/** Code points of a text message that is sent. Source: https://www.twilio.com/docs/messaging/api/message-resource, "Body" */
export const smsLimit = 1_600;

/** Code points that are kept of a text message that comes in: what WhatsApp allows. Source: decisions 10, "SMS webhook" */
export const inboundLimit = 4_096;

/** Attachments of a text message. Source: the same, "MediaUrl" */
export const attachmentLimit = 10;

/** The text of a message, to the letter. */
export const SmsText = anyString.check(atMost(smsLimit), z.meta({ maxLength: smsLimit }));
