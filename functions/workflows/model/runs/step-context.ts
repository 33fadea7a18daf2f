import { readAggregate, toContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { readPipelines } from '../../../../shared/contacts/pipeline.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import { parseJson } from '../../../../shared/kernel/exact-numbers.ts';
import { businessHours } from '../../../../shared/organizations/business-hours.ts';
import { type User, userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Reach, roleWithin } from '../../../../shared/workflows/own-workflows.ts';
import { otherName } from '../definition/catalogue.ts';
import { findNode, type Plan } from '../definition/plan.ts';
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
      plan,
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

/** The status, way, reason, ids and answer of the last step at each of the nodes that fields refer to, also by its other name. */
function lastSteps(stepRecords: readonly StoredStepRecord[], plan: Plan): StepContext['steps'] {
  const asked = new Set(plan.asks);
  const last = new Map<string, StoredStepRecord>();
  for (const stepRecord of stepRecords.filter(({ nodeId }) => asked.has(nodeId))) {
    const node = findNode(plan, stepRecord.nodeId);
    const other = node && otherName(node);
    last.set(stepRecord.nodeId, stepRecord);
    if (other !== undefined && findNode(plan, other) === undefined) {
      last.set(other, stepRecord);
    }
  }
  return Object.fromEntries(Array.from(last, ([name, stepRecord]) => [name, knownOfStep(stepRecord)]));
}

/** The status of one that has an answer is that of the answer. */
function knownOfStep({ status, way, reason, resultIds, answer }: StoredStepRecord) {
  return {
    ...resultIds,
    ...definedOnly({ status: answer?.status ?? status, way, reason }),
    ...(answer?.body !== undefined && { body: parseJson(answer.body) }),
  };
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
