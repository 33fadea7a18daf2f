import { gunzipSync } from 'node:zlib';
import { parseJson } from '../../../../shared/kernel/exact-numbers.ts';
import type { DocumentReader } from '../../../../shared/kernel/providers/objects.ts';
import { remember } from '../../../../shared/kernel/remember.ts';
import type { Key } from '../../../../shared/table/key.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { objectKey } from './documents.ts';
import type { Plan } from './plan.ts';
import type { DocumentLocation } from './workflow.ts';

/** Where the plan of a revision is: its zipped JSON is the row's attribute `bytes`, or an object. It never changes. */
export interface PlanRow {
  readonly place: DocumentLocation;
}

/** The plan of a revision. It expires a day after the longest run that could have started before the next revision. */
export const planKey = (workflowId: string, revision: number): Key<PlanRow> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['PLAN', String(revision)],
});

export interface PlanSources {
  readonly table: TableReader;
  /** The documents of the table's organization. */
  readonly objects: DocumentReader;
}

/** Plans that a process caches, by organization, workflow and revision; large ones apart, because they take a lot of memory. */
const remembered = { small: new Map<string, Plan>(), large: new Map<string, Plan>() };
const capacity = { small: 200, large: 2 } as const;

/** Bytes of JSON up to which a plan counts as small. */
const smallWeight = 64 * 1024;

/** The plan of a revision, from memory once the process has read it; undefined if it is deleted or has expired. */
export async function readPlan(
  { table, objects }: PlanSources,
  workflowId: string,
  revision: number,
): Promise<Plan | undefined> {
  const name = JSON.stringify([table.organizationId, workflowId, revision]);
  const known = remembered.small.get(name) ?? remembered.large.get(name);
  if (known !== undefined) {
    return known;
  }
  const row = await table.read(planKey(workflowId, revision));
  // Postponing the expiry of a row that has just expired creates a row that holds nothing but the expiry.
  const location = row?.data?.place;
  const zipped =
    location?.store === 'objects'
      ? await objects.get(objectKey(workflowId, location))
      : (row?.attributes?.bytes as Uint8Array | undefined);
  if (location === undefined || zipped === undefined) {
    return undefined;
  }
  const plan = parseJson(gunzipSync(zipped).toString()) as Plan;
  const size = location.weight <= smallWeight ? 'small' : 'large';
  remember(remembered[size], name, plan, capacity[size]);
  return plan;
}
