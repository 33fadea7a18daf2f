import * as z from 'zod/mini';
import { anyText, atMost, Id } from '../kernel/fields.ts';

/** Source: decisions 1, "Input caps". */
const limits = { note: 20_000, mentions: 40 };

export const NoteText = anyText.check(atMost(limits.note), z.meta({ maxLength: limits.note }));

export const Mentions = z.array(Id).check(z.maxLength(limits.mentions));

export const noteMeanings = {
  note: `Markdown or plain text of at most ${limits.note.toLocaleString('en')} characters, kept as it is.`,
  mentions: 'Ids of users of the organization; each is notified once.',
};
