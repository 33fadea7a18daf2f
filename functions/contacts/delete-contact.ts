import { visibleDossier } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { filingSteps } from '../../shared/contact-aggregate/contact-writes.ts';
import { contactRemoved } from '../../shared/contacts/contact-events.ts';
import * as demo from '../../shared/demo-ids.ts';
import { messageAnswer } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { eventStep } from '../../shared/live/outbox.ts';
import { optimistically } from '../../shared/table/optimistic.ts';

export default operation({
  route: 'DELETE /api/contacts/{id}',
  summary: 'Delete a contact',
  description:
    'Its phone numbers are free at once. What it owns (notes, conversations, messages) can be reached no more from then on and is swept away soon after.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: messageAnswer(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareContact } },
  uses: { table: 'write' },
  async run({ path }, { table, caller, now, newId, random }) {
    const eventId = newId();
    return optimistically(random, async () => {
      const dossier = await visibleDossier(table, caller, path.id);
      await table.commit([
        ...filingSteps(table, dossier, undefined),
        eventStep(table, contactRemoved(dossier.contact.data), eventId, now),
      ]);
      return { success: true as const, message: 'Contact deleted' };
    });
  },
});
