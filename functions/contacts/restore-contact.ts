import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { restoredState } from '../../shared/contact-aggregate/find-or-create-contact.ts';
import { contactRestored } from '../../shared/contacts/contact-events.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { findToChange } from './model/find-to-change.ts';

export default operation({
  route: 'POST /api/contacts/{id}/restore',
  summary: 'Restore an archived contact',
  description:
    'It is in the board again, in the stage that it was in, and in lists, searches, counts and inboxes. Workflow runs that ended with `contact_archived` stay ended. A contact that is not archived stays as it is, and no event is emitted.',
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
      if (before.archivedAt === undefined) {
        return ok({ message: 'The contact is not archived', data: toContactResponse(before, stage) });
      }
      const state = restoredState(aggregate, timestamp(now));
      await table.commit([
        ...contactWrites(table, aggregate, state),
        eventAction(table, contactRestored(state.contact, stage), eventId, now),
      ]);
      return ok({ message: 'Contact restored', data: toContactResponse(state.contact, stage) });
    });
  },
});
