import { timestamp } from '../../../../../shared/kernel/time.ts';
import { IsoMoment } from '../../../../../shared/organizations/written-times.ts';
import { durationInMilliseconds } from '../../definition/node-fields.ts';
import { createReminder } from '../../definition/record-nodes.ts';
import { executable } from '../executable.ts';
import { revealIfSeen, skippedFor } from '../gone.ts';
import { requireContact } from '../step-context.ts';
import { textsFrom } from '../texts.ts';

export default executable(createReminder, {
  async read({ remindAt }, sources) {
    const isDate =
      remindAt === undefined || IsoMoment.safeParse(textsFrom(sources).filled(remindAt).trim()).success;
    return revealIfSeen(sources, isDate ? undefined : 'no_date');
  },
  decide({ note, in: wait, remindAt }, { context, now, extra: dateless }) {
    if (dateless !== undefined) {
      return skippedFor(dateless);
    }
    const texts = textsFrom({ context, now });
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'create-reminder',
        body: {
          contactId: requireContact(context).contact._id,
          note: texts.filled(note),
          remindAt:
            wait === undefined
              ? texts.filled(remindAt ?? '').trim()
              : timestamp(new Date(now.getTime() + durationInMilliseconds(wait))),
        },
        resultId: 'reminderId',
      },
    };
  },
});
