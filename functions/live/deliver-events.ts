import { second } from '../../shared/kernel/time.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import type { StoredEvent } from '../../shared/live/outbox.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { deliveries } from './model/deliveries.ts';
import { type Due, dispatch } from './model/dispatch.ts';
import { recipientsOf } from './model/recipients.ts';

/** Milliseconds in which connections may begin to get their events, and in which all must have got them. The invocation has 30 s. */
const [beginningTime, servingTime] = [15 * second, 20 * second];

export default streamOperation({
  reader: 'live',
  on: { change: 'INSERT', sortPrefix: prefixOf(['EVENT']) },
  summary: 'Deliver events to the connections whose user may see the record',
  uses: { organizations: 'write', identity: 'write', sockets: 'post' },
  async run(changes, { organizations, identity, sockets, now }) {
    const serving = {
      beginUntil: AbortSignal.timeout(beginningTime),
      deadline: AbortSignal.timeout(servingTime),
      canBeHalved: changes.length > 1,
    };

    async function dueIn(organizationId: string, events: readonly StoredEvent[]): Promise<Due> {
      const tables = { organization: organizations(organizationId), identity };
      const recipients = await recipientsOf(events, tables, now);
      return { ...deliveries(events, recipients, now), tables, unclosed: recipients.unclosed };
    }

    // Everything is read before anything is sent: when a read fails, and with it the batch, nobody has got anything twice.
    const due = await Promise.all(
      [...Map.groupBy(changes, ({ partition }) => organizationIn(partition) ?? '')].map(
        ([organizationId, own]) =>
          dueIn(
            organizationId,
            own.map(({ data }) => data as StoredEvent),
          ),
      ),
    );
    const connections = due.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
    return { connections, ...(await dispatch(due, sockets, now, serving)) };
  },
});
