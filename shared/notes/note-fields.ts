import * as z from 'zod/mini';
import { anyString, atMost, Id } from '../kernel/schemas/fields.ts';

/** Code points that a note or a reminder's note may have. Source: decisions 1, "Input caps". */
export const noteLimit = 20_000;

/** Source: decisions 1, "Input caps". */
const maxMentions = 40;

export const NoteText = anyString.check(atMost(noteLimit), z.meta({ maxLength: noteLimit }));

export const Mentions = z.array(Id).check(z.maxLength(maxMentions));

export const noteDescriptions = {
  note: 'Markdown or plain text, stored unchanged.',
  mentions: 'Ids of users of the organization; each is notified once.',
};
