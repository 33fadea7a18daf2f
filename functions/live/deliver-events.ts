import { streamOperation } from '../../shared/kernel/trigger.ts';
import type { StoredEvent } from '../../shared/live/outbox.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { usersOf } from '../../shared/visibility.ts';
import { connectionRange } from './model/connection.ts';
import { deliveries } from './model/deliveries.ts';
import { dispatch } from './model/dispatch.ts';

export default streamOperation({
  reader: 'live',
  on: { change: 'INSERT', sortPrefix: prefixOf(['EVENT']) },
  summary: 'Deliver events to the connections whose user may see the record',
  uses: { organizations: 'write', identity: 'write', sockets: 'post' },
  async run(changes, { organizations, identity, sockets, now }) {
    async function deliver(organizationId: string, events: StoredEvent[]): Promise<unknown[]> {
      const organization = organizations(organizationId);
      const [connections, users] = await Promise.all([
        organization.list(connectionRange()),
        usersOf(organization),
      ]);
      const due = deliveries(
        events,
        connections.map(({ data }) => data),
        users,
        now,
      );
      return dispatch(due, { organization, identity }, sockets, now);
    }

    const failures = await Promise.all(
      [...Map.groupBy(changes, ({ partition }) => organizationIn(partition) ?? '')].map(
        ([organizationId, own]) =>
          deliver(
            organizationId,
            own.map(({ data }) => data as StoredEvent),
          ).catch((error: unknown) => [error]),
      ),
    ).then((perOrganization) => perOrganization.flat());
    if (failures.length > 0) {
      // The whole batch is delivered again: clients recognise a repeated event by its id.
      throw new Error(`${failures.length} connections or organizations could not be served`, {
        cause: failures[0],
      });
    }
  },
});
