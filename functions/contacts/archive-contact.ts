import { toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { archived } from '../../shared/contacts/contact.ts';
import { contactArchived } from '../../shared/contacts/contact-events.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { runPartitions } from '../../shared/contacts/holdings.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { endRunsOfArchived } from '../../shared/workflows/runs-of-contact-to-end.ts';
import { findToChange } from './model/find-to-change.ts';

export default operation({
  route: 'POST /api/contacts/{id}/archive',
  summary: 'Archive a contact',
  description:
    'It leaves the board, lists, searches, counts and inboxes, and keeps all that it has, its phone numbers too. Who may see it still reads it by its id and by a look-up. Its reminders fire; its workflow runs end soon after as `cancelled`, with the reason `contact_archived`. A text to or from it, a call, a lead, an upsert or an import restores it. A contact that is archived already stays as it is, and no event is emitted.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  asStep: true,
  output: changeResponse(ContactResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.ada } },
  uses: { table: 'write' },
  async run({ path }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const { aggregate, before, stage } = await findToChange(table, caller, path.id);
      if (before.archivedAt !== undefined) {
        return ok({ message: 'The contact is archived already', data: toContactResponse(before, stage) });
      }
      const contact = archived(before, timestamp(now));
      await table.commit([
        ...contactWrites(table, aggregate, { ...toContactState(aggregate), contact }),
        ...runPartitions(contact).map((id) => endRunsOfArchived(table, id, now)),
        eventAction(table, contactArchived(contact), eventId, now),
      ]);
      return ok({ message: 'Contact archived', data: toContactResponse(contact, stage) });
    });
  },
});
