import type { StoredContact } from '../../shared/contacts/contact.ts';

const at = '2026-03-02T10:00:00.000Z';

/** Ada Lovelace as she is stored, with the fields that the test sets. */
export function storedContact(fields: Partial<StoredContact> = {}): StoredContact {
  return {
    _id: 'ada',
    organizationId: 'o',
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: null,
    phoneNumbers: [],
    source: null,
    pipelineId: 'sales',
    stageId: 'sales-New',
    createdBy: 'maker',
    owner: null,
    assignees: [],
    customFields: {},
    tags: [],
    isBulkImport: false,
    lastMessageAt: null,
    lastMessageDirection: null,
    conversationAssignees: [],
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}
