import type { StepContext } from '../../../functions/workflows/model/execution/step-context.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { storedContact } from '../../contacts/stored-contact.ts';

/** StepContext in which nothing is known, but for what the test says. */
export function contextWith(known: Partial<StepContext> = {}): StepContext {
  return {
    state: undefined,
    pipelines: [],
    hours: businessHours.initial,
    owner: undefined,
    event: {},
    steps: {},
    ...known,
  };
}

/** A contact without conversations and applications. */
export function stateWith(contact: Partial<StoredContact>): NonNullable<StepContext['state']> {
  const stageRef = { pipelineId: 'p', stageId: 's' };
  return { contact: storedContact({ ...stageRef, ...contact }), conversations: [], applications: [] };
}
