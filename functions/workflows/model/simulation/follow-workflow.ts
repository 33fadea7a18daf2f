import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { ClockAndIds, Ports } from '../../../../shared/kernel/operation.ts';
import { second } from '../../../../shared/kernel/time.ts';
import { compilePlan } from '../compiling/compile-plan.ts';
import type { Topic } from '../topics/topics.ts';
import type { WorkflowHeader } from '../workflow.ts';
import { standAsIfEnabled } from './as-if-enabled.ts';
import { emptyTable } from './empty-table.ts';
import { addImaginaryContact } from './imaginary-contact.ts';
import { overlayTable } from './overlay-table.ts';
import { remembering } from './remembered-reads.ts';
import { imaginaryOccurrence, requireWaits, simulatedRuns } from './simulate.ts';
import { toSimulationResponse } from './simulation-response.ts';
import { withTextsFor } from './texts-for-caller.ts';

/** What one request follows: the function itself is stopped after 10 seconds. */
const limits = { steps: 200, time: 5 * second } as const;

/** What happens to whom, and the workflow that may follow from it. */
export interface Imagined {
  readonly header: WorkflowHeader;
  readonly document: string;
  readonly topic: Topic;
  /** Undefined for a contact that does not exist. */
  readonly contact: StoredContact | undefined;
  readonly event: Record<string, unknown>;
  readonly at: Date;
  readonly decisions: Record<string, 'received' | 'timeout'>;
}

/**
 * What a workflow would do, as the response tells it to this caller.
 * @param start when the request began, by `performance.now()`.
 * @throws a `Failure` for decisions about nodes that do not wait.
 */
export async function followWorkflow(
  { table, stepOperations }: Ports<{ table: 'read'; stepOperations: 'simulate' }>,
  caller: Caller,
  { header, document, topic, contact: known, event, at, decisions }: Imagined,
  { newId, start }: Pick<ClockAndIds, 'newId'> & { readonly start: number },
) {
  const reader = remembering(table);
  const simulation = {
    ...{ stepOperations, decisions, newId, plan: compilePlan(document) },
    tables: { table: overlayTable(reader), platform: overlayTable(emptyTable<'platform'>()) },
    stepsLeft: () => limits.steps,
    timeLeft: () => limits.time - (performance.now() - start),
  };
  requireWaits(simulation);
  const { userId } = header;
  const contact = known ?? (await addImaginaryContact(simulation.tables.table, newId(), userId, at));
  await standAsIfEnabled(simulation.tables.table, header, simulation.plan, contact._id);
  const imaginary = { eventId: newId(), userId: caller.userId, at, fields: event };
  const occurrence = imaginaryOccurrence(topic, contact, imaginary);
  const { path: steps, runs } = await simulatedRuns(simulation, header, occurrence, contact);
  const told = await withTextsFor(caller, reader, simulation.plan, steps);
  return toSimulationResponse({ path: told, runs });
}
