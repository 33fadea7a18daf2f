import { applicationEvent } from '../../shared/contact-aggregate/application-events.ts';
import { toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findApplicationAggregate } from './model/find-application.ts';

export default operation({
  route: 'DELETE /api/applications/{id}',
  summary: 'Delete an application',
  description: 'Deletes the application and its history. Its contact stays.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareApplication } },
  uses: { table: 'write' },
  async run({ path }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const { application, aggregate } = await findApplicationAggregate(table, caller, path.id);
      const state = toContactState(aggregate);
      const applications = state.applications.filter((other) => other !== application.data);
      await table.commit([
        ...contactWrites(table, aggregate, { ...state, applications }),
        eventAction(table, applicationEvent(state.contact, application.data, undefined), eventId, now),
      ]);
      return ok({ message: 'Application deleted' });
    });
  },
});
