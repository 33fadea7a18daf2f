import type { Facts } from '../../../functions/workflows/model/execution/facts.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { storedContact } from '../../contacts/stored-contact.ts';

/** Facts in which nothing is known, but for what the test says. */
export function factsWith(known: Partial<Facts> = {}): Facts {
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
export function stateOf(contact: Partial<StoredContact>): NonNullable<Facts['state']> {
  const place = { pipelineId: 'p', stageId: 's' };
  return { contact: storedContact({ ...place, ...contact }), conversations: [], applications: [] };
}
