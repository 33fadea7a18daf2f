import type { Facts } from '../../../functions/workflows/model/engine/facts.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';

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
  return {
    contact: {
      _id: 'ada',
      organizationId: 'o',
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: null,
      phoneNumbers: [],
      source: null,
      pipelineId: 'p',
      stageId: 's',
      createdBy: 'u',
      owner: null,
      assignees: [],
      customFields: {},
      tags: [],
      isBulkImport: false,
      lastMessageAt: null,
      lastMessageDirection: null,
      conversationAssignees: [],
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      ...contact,
    },
    conversations: [],
    applications: [],
  };
}
