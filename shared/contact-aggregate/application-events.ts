import type { StoredContact } from '../contacts/contact.ts';
import type { EventChange } from '../events/event-change.ts';
import type { NewEvent } from '../events/outbox.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import { involvedPeople } from '../organizations/visibility.ts';
import { type StoredApplication, toApplicationResponse } from './application.ts';

/**
 * The event that tells the users who may see an application that it was created, changed, moved or deleted. Applications have no events of
 * their own, so it is a change of the contact.
 */
export function applicationEvent(
  contact: StoredContact,
  before: StoredApplication | undefined,
  after: StoredApplication | undefined,
): NewEvent {
  const ids = {
    contactId: contact._id,
    pipelineId: contact.pipelineId,
    stageId: contact.stageId,
    applicationId: (after ?? before)?._id,
    fromApplicationStageId: before?.stageId ?? null,
  };
  return {
    event: 'contact_updated',
    data: {
      ...ids,
      application:
        after === undefined
          ? null
          : toApplicationResponse(after, { name: after.history.at(-1)?.stage ?? '' }),
    },
    brief: ids,
    audience: { kind: 'record', people: involvedPeople(contact) },
    change: applicationChange(before, after),
  };
}

/** The change of an application, with the names of its stages. */
function applicationChange(
  before: StoredApplication | undefined,
  after: StoredApplication | undefined,
): EventChange {
  const transition = transitionOf(before, after);
  const fromStage =
    transition === 'created' || transition === 'edited' ? undefined : before?.history.at(-1)?.stage;
  return {
    application: { transition, name: (after ?? before)?.name ?? '' },
    ...definedOnly({ fromStage, stage: after?.history.at(-1)?.stage }),
  };
}

function transitionOf(before: StoredApplication | undefined, after: StoredApplication | undefined) {
  if (before === undefined) {
    return 'created';
  }
  if (after === undefined) {
    return 'deleted';
  }
  return before.stageId === after.stageId ? 'edited' : 'moved';
}
