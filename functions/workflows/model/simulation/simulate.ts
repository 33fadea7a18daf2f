import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { Deadline } from '../../../../shared/kernel/deadline.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import type { ClockAndIds, Ports } from '../../../../shared/kernel/operation.ts';
import { second } from '../../../../shared/kernel/time.ts';
import { compilePlan } from '../definition/compile-plan.ts';
import { asIfEnabled, type Plan } from '../definition/plan.ts';
import type { Topic } from '../definition/topics.ts';
import type { WorkflowHeader } from '../definition/workflow.ts';
import { pretendEnabled } from './as-if-enabled.ts';
import { cachedReads } from './cached-reads.ts';
import { addExampleContact } from './example-contact.ts';
import { emptyTable, overlayTable } from './overlay-table.ts';
import { requireWaits, simulatedOccurrence, simulateRuns } from './simulated-runs.ts';
import { toSimulationResponse } from './simulation-response.ts';
import { withholdTexts } from './texts-for-caller.ts';

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
