import { aggregateOf, stateOf } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import { businessHours } from '../../../../shared/organizations/business-hours.ts';
import { type User, userKey } from '../../../../shared/organizations/user.ts';
import { currentPipelines } from '../../../../shared/pipelines/known-pipelines.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Facts } from '../engine/facts.ts';
import type { Plan } from '../graph/plan.ts';
import { type Receipt, type Run, receiptRange, runEventKey } from '../runs/run.ts';

/** What the steps of a run may depend on, as it is now; in one round trip. */
export async function factsOf(table: TableReader, plan: Plan, run: Run): Promise<Facts> {
  const [aggregate, pipelines, hours, owner, event, receipts] = await Promise.all([
    aggregateOf(table, run.contactId),
    currentPipelines(table),
    table.read(businessHours.key),
    table.read(userKey(run.userId)),
    table.read(runEventKey(run._id)),
    plan.asks.length === 0 ? [] : table.list(receiptRange(run._id)),
  ]);
  return {
    state: aggregate && stateOf(aggregate),
    pipelines: pipelines.data.pipelines,
    hours: hours?.data ?? businessHours.initial,
    owner: callerOf(owner?.data),
    event: event?.data ?? {},
    steps: stepsTold(
      receipts.map(({ data }) => data),
      plan.asks,
    ),
  };
}

/** The user as a caller, with the role of now; undefined for one who is disabled or gone. */
function callerOf(user: User | undefined): Caller | undefined {
  if (user === undefined || user.disabled) {
    return undefined;
  }
  const { _id: userId, accessRole: role, organizationId } = user;
  return { userId, role, organizationId, homeOrganizationId: organizationId };
}

/** What the last step at each of these nodes told. */
function stepsTold(receipts: readonly Receipt[], nodeIds: readonly string[]): Facts['steps'] {
  const last = new Map(receipts.map((receipt) => [receipt.nodeId, receipt]));
  return Object.fromEntries(
    nodeIds.flatMap((nodeId) => {
      const receipt = last.get(nodeId);
      if (receipt === undefined) {
        return [];
      }
      const { status, way, reason, things } = receipt;
      return [
        [
          nodeId,
          { ...things, status, ...(way !== undefined && { way }), ...(reason !== undefined && { reason }) },
        ],
      ];
    }),
  );
}
