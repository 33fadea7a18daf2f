import { type User, userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Reach, roleWithin } from '../../../../shared/workflows/own-workflows.ts';
import type { Plan } from '../definition/plan.ts';
import type { Facts } from '../execution/engine.ts';
import { contactFacts } from './contact-facts.ts';
import { type Receipt, type Run, receiptRange, runEventKey } from './run.ts';

/** What the steps of a run may depend on, as it is now; in one round trip. */
export async function factsOf(table: TableReader, plan: Plan, run: Run): Promise<Facts> {
  const [contact, owner, event, receipts] = await Promise.all([
    contactFacts(table, run.contactId),
    table.read(userKey(run.userId)),
    table.read(runEventKey(run._id)),
    plan.asks.length === 0 ? [] : table.list(receiptRange(run._id)),
  ]);
  return {
    ...contact,
    ...ownerWithin(owner?.data, run.most),
    event: event?.data ?? {},
    steps: lastSteps(
      receipts.map(({ data }) => data),
      plan.asks,
    ),
  };
}

/** The user as a caller, with the role of now, or the one within these rights if that is lower; none for one who is disabled or gone. */
function ownerWithin(user: User | undefined, most: Reach | undefined): Pick<Facts, 'owner' | 'bound'> {
  if (user === undefined || user.disabled) {
    return { owner: undefined };
  }
  const { _id: userId, accessRole, organizationId } = user;
  const role = roleWithin(user, most);
  return {
    owner: { userId, role, organizationId, homeOrganizationId: organizationId },
    ...(role !== accessRole && most && { bound: most }),
  };
}

/** The status, way, reason and ids of the last step at each of these nodes. */
function lastSteps(receipts: readonly Receipt[], nodeIds: readonly string[]): Facts['steps'] {
  const last = new Map(receipts.map((receipt) => [receipt.nodeId, receipt]));
  return Object.fromEntries(
    nodeIds.flatMap((nodeId) => {
      const receipt = last.get(nodeId);
      if (receipt === undefined) {
        return [];
      }
      const { status, way, reason, resultIds } = receipt;
      return [
        [
          nodeId,
          {
            ...resultIds,
            status,
            ...(way !== undefined && { way }),
            ...(reason !== undefined && { reason }),
          },
        ],
      ];
    }),
  );
}
