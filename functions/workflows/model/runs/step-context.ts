import { readAggregate, toContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { readPipelines } from '../../../../shared/contacts/pipeline.ts';
import { businessHours } from '../../../../shared/organizations/business-hours.ts';
import { type User, userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Reach, roleWithin } from '../../../../shared/workflows/own-workflows.ts';
import type { Plan } from '../definition/plan.ts';
import type { FieldContext, StepContext } from '../execution/engine.ts';
import { type Run, runEventKey, type StoredStepRecord, stepRecordRange } from './run.ts';

/** Reads what the steps of a run may depend on, as it is now; in one round trip. */
export async function readStepContext(table: TableReader, plan: Plan, run: Run): Promise<StepContext> {
  const [contact, owner, event, stepRecords] = await Promise.all([
    readFieldContext(table, run.contactId),
    table.read(userKey(run.userId)),
    table.read(runEventKey(run._id)),
    plan.asks.length === 0 ? [] : table.list(stepRecordRange(run._id)),
  ]);
  return {
    ...contact,
    ...ownerWithin(owner?.data, run.most),
    event: event?.data ?? {},
    steps: lastSteps(
      stepRecords.map(({ data }) => data),
      plan.asks,
    ),
  };
}

/** The user as a caller, with the role of now, or the one within these rights if that is lower; none for one who is disabled or gone. */
function ownerWithin(user: User | undefined, most: Reach | undefined): Pick<StepContext, 'owner' | 'bound'> {
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
function lastSteps(
  stepRecords: readonly StoredStepRecord[],
  nodeIds: readonly string[],
): StepContext['steps'] {
  const last = new Map(stepRecords.map((stepRecord) => [stepRecord.nodeId, stepRecord]));
  return Object.fromEntries(
    nodeIds.flatMap((nodeId) => {
      const stepRecord = last.get(nodeId);
      if (stepRecord === undefined) {
        return [];
      }
      const { status, way, reason, resultIds } = stepRecord;
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

/** Reads what steps and filters know about a contact and its organization now, in one round trip. */
export async function readFieldContext(
  table: TableReader,
  contactId: string,
): Promise<Pick<FieldContext, 'state' | 'pipelines' | 'hours'>> {
  const [aggregate, pipelines, hours] = await Promise.all([
    readAggregate(table, contactId),
    readPipelines(table),
    table.read(businessHours.key),
  ]);
  return {
    state: aggregate && toContactState(aggregate),
    pipelines: pipelines.data.pipelines,
    hours: hours?.data ?? businessHours.initial,
  };
}
