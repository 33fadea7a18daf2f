import {
  contactKey,
  newContact,
  type StoredContact,
  withOneNumber,
} from '../../../../shared/contacts/contact.ts';
import { readPipelines } from '../../../../shared/contacts/pipeline.ts';
import { entryStage } from '../../../../shared/contacts/stages.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { Deadline } from '../../../../shared/kernel/deadline.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import type { ClockAndIds, Ports } from '../../../../shared/kernel/operation.ts';
import { second, timestamp } from '../../../../shared/kernel/time.ts';
import { findUsableTemplate } from '../../../../shared/messages/template.ts';
import type { TableReader, TableWriter } from '../../../../shared/table/table.ts';
import { nodeTypeNamed } from '../definition/catalogue.ts';
import { compilePlan } from '../definition/compile-plan.ts';
import { readData } from '../definition/node-data.ts';
import { asIfEnabled, findNode, type Plan } from '../definition/plan.ts';
import type { Topic } from '../definition/topics.ts';
import type { WorkflowHeader } from '../definition/workflow.ts';
import { pretendEnabled } from './as-if-enabled.ts';
import { cachedReads } from './cached-reads.ts';
import { emptyTable, overlayTable } from './overlay-table.ts';
import type { SimulatedStep } from './simulated-run.ts';
import { requireWaits, simulatedOccurrence, simulateRuns } from './simulated-runs.ts';
import { toSimulationResponse } from './simulation-response.ts';

/** Steps that one request follows. */
const maxSteps = 200;

/** The part of an invocation's 9.5 seconds that is left for the last step and the response. */
const reserve = 4.5 * second;

/** An occurrence, its contact, and the workflow that may follow from it. */
export interface SimulationInput {
  readonly header: WorkflowHeader;
  readonly document: string;
  readonly topic: Topic;
  /** Undefined for a contact that does not exist. */
  readonly contact: StoredContact | undefined;
  readonly event: Record<string, unknown>;
  readonly at: Date;
  readonly decisions: Record<string, 'received' | 'timeout'>;
}

/** The plan of a workflow: as it was confirmed if it is enabled; a draft is confirmed when it is enabled. */
function planAsEnabled({ enabled, plan: known, most }: WorkflowHeader, document: string): Plan {
  const confirmed =
    enabled && known !== undefined
      ? known.confirmed && { ...known.confirmed, ...definedOnly({ most }) }
      : asIfEnabled;
  return { ...compilePlan(document), ...definedOnly({ confirmed }) };
}

/**
 * The door of the simulation: what a workflow would do, as the response tells it to this caller.
 * @throws a `Failure` for decisions about nodes that do not wait.
 */
export async function simulate(
  { table, stepOperations }: Ports<{ table: 'read'; stepOperations: 'simulate' }>,
  caller: Caller,
  { header, document, topic, contact: known, event, at, decisions }: SimulationInput,
  { newId, deadline }: Pick<ClockAndIds, 'newId'> & { readonly deadline: Deadline },
) {
  const reader = cachedReads(table);
  const simulation = {
    ...{ stepOperations, decisions, newId, plan: planAsEnabled(header, document) },
    tables: { table: overlayTable(reader), platform: overlayTable(emptyTable<'platform'>()) },
    stepsLeft: () => maxSteps,
    timeLeft: () => deadline.left() - reserve,
  };
  requireWaits(simulation);
  const { userId } = header;
  const contact = known ?? (await addExampleContact(simulation.tables.table, newId(), userId, at));
  await pretendEnabled(simulation.tables.table, header, simulation.plan, contact._id);
  const simulated = { eventId: newId(), userId: caller.userId, at, fields: event };
  const occurrence = simulatedOccurrence(topic, contact, simulated);
  const { path: steps, runs } = await simulateRuns(simulation, header, occurrence, contact);
  const path = await withholdTexts(caller, reader, simulation.plan, steps);
  return toSimulationResponse({ path, runs });
}

/** Nobody has this number: it is among those set aside for stories. Source: North American Numbering Plan, 555-0100 to 555-0199. */
const fields = {
  ...{ firstName: 'Alex', lastName: 'Example', email: 'alex@example.com' },
  ...withOneNumber('+12025550142'),
};

/**
 * Adds a contact that does not exist to the tables of a simulation: new, in the first stage, of the owner of the workflow. Boards and
 * locks of numbers know nothing of it.
 */
async function addExampleContact(
  table: TableWriter,
  id: string,
  ownerId: string,
  at: Date,
): Promise<StoredContact> {
  const { organizationId } = table;
  const { data } = await readPipelines(table);
  const creator = { userId: ownerId, organizationId, homeOrganizationId: organizationId };
  const contact = newContact(id, creator, entryStage(data.pipelines), fields, timestamp(at));
  await table.commit([table.add(contactKey(id), contact)]);
  return contact;
}

/**
 * The steps without the texts of templates that the caller may not use: the owner of a workflow may use some that nobody else may read.
 * @param table caches what it has read: the steps have read most of it.
 */
async function withholdTexts(
  caller: Pick<Caller, 'userId'>,
  table: TableReader,
  plan: Plan,
  steps: readonly SimulatedStep[],
): Promise<SimulatedStep[]> {
  return Promise.all(
    steps.map(async (step) => {
      const template = step.text === undefined ? undefined : templateIn(plan, step.nodeId);
      if (template === undefined || (await findUsableTemplate(table, caller, template)) !== undefined) {
        return step;
      }
      const { text: _, ...rest } = step;
      return rest;
    }),
  );
}

/** The id of the template that a node takes its text from. */
function templateIn(plan: Plan, nodeId: string): string | undefined {
  const node = findNode(plan, nodeId);
  const nodeType = node && nodeTypeNamed(node.type);
  const read = nodeType?.references && readData(nodeType.schema, node?.data);
  const references = read?.success ? (nodeType?.references?.(read.data) ?? []) : [];
  return references.find(({ kind }) => kind === 'template')?.id;
}
