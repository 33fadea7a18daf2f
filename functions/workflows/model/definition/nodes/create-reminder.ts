import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { nameLimit, nonEmptyString } from '../../../../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../../../../shared/kernel/time.ts';
import { hasPlaceholder } from '../../../../../shared/messages/fill-placeholders.ts';
import { noteLimit } from '../../../../../shared/notes/note-fields.ts';
import { IsoMoment } from '../../../../../shared/written-times.ts';
import { ofSeenContact, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { noneIfEmptyIn } from '../none-if-empty.ts';
import { textsFrom } from '../texts.ts';
import { Duration, millisecondsOf } from './node-fields.ts';
import { nodeType } from './node-type.ts';

const Data = described(
  z
    .object({
      note: nonEmptyString(noteLimit),
      in: z.optional(Duration),
      remindAt: z.optional(
        noneIfEmptyIn(
          nonEmptyString(nameLimit).check(
            z.refine(
              (text) => hasPlaceholder(text) || IsoMoment.safeParse(text).success,
              'must be an ISO 8601 date or date-time, or a placeholder',
            ),
            z.meta({ pattern: String.raw`\{\{[^{}]*\}\}|^\s*\d{4}-\d\d-\d\d` }),
          ),
        ),
      ),
    })
    .check(
      z.refine((data) => (data.in === undefined) !== (data.remindAt === undefined), {
        path: ['in'],
        error: 'or remindAt is required, and not both',
      }),
    ),
  {
    note: 'What to do; with placeholders.',
    in: 'How long after this step.',
    remindAt:
      'When, instead of `in`: a date-time, a date for the beginning of that day, or a placeholder for one, like `{{contact.customFields.renewal}}`; without an offset, in the time zone of the organization.',
  },
  { oneOf: [{ required: ['in'] }, { required: ['remindAt'] }] },
);

export default nodeType<z.output<typeof Data>, 'no_date' | undefined>({
  type: 'createReminder',
  title: 'Create a reminder',
  description:
    "Creates a reminder about the contact as `POST /api/reminders` does. The owner of the workflow is its creator, and thus who is reminded. Skipped with `no_date` if the placeholder for the time holds no date. The step has the reminder's `reminderId`.",
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  async read({ remindAt }, sources) {
    const isDate =
      remindAt === undefined || IsoMoment.safeParse(textsFrom(sources).filled(remindAt).trim()).success;
    return ofSeenContact(sources, isDate ? undefined : 'no_date');
  },
  decide({ note, in: wait, remindAt }, { facts, now, extra: dateless }) {
    if (dateless !== undefined) {
      return skippedFor(dateless);
    }
    const texts = textsFrom({ facts, now });
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'create-reminder',
        body: {
          contactId: knownState(facts).contact._id,
          note: texts.filled(note),
          remindAt:
            wait === undefined
              ? texts.filled(remindAt ?? '').trim()
              : timestamp(new Date(now.getTime() + millisecondsOf(wait))),
        },
        resultId: 'reminderId',
      },
    };
  },
});
