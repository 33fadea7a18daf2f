import { fullName } from '../organizations/user.ts';
import { toConsent } from './consent.ts';
import type { Contact, StoredContact } from './contact.ts';
import type { Stage } from './pipeline.ts';

/**
 * The contact for a response, in the stage that it is in; without one its name is empty. Field by field: a board makes hundreds of them,
 * and to copy an object without some of its fields takes several times as long.
 */
export function toContactResponse(contact: StoredContact, stage: Pick<Stage, 'name'> | undefined): Contact {
  return {
    _id: contact._id,
    organizationId: contact.organizationId,
    firstName: contact.firstName,
    lastName: contact.lastName,
    fullName: fullName(contact),
    email: contact.email,
    externalId: contact.externalId ?? null,
    phoneNumbers: contact.phoneNumbers,
    source: contact.source,
    pipelineId: contact.pipelineId,
    stageId: contact.stageId,
    stage: stage?.name ?? '',
    createdBy: contact.createdBy,
    owner: contact.owner,
    assignees: contact.assignees,
    customFields: contact.customFields,
    tags: contact.tags,
    isBulkImport: contact.isBulkImport,
    lastMessageAt: contact.lastMessageAt,
    lastMessageDirection: contact.lastMessageDirection,
    createdAt: contact.createdAt,
    updatedAt: contact.updatedAt,
    ...(contact.archivedAt !== undefined && { archivedAt: contact.archivedAt }),
    consent: toConsent(contact),
  };
}
