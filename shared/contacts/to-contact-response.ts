import { fullName } from '../organizations/user.ts';
import type { Stage } from '../pipelines/pipeline.ts';
import { consentOf } from './consent.ts';
import type { Contact, StoredContact } from './contact.ts';

/** The contact for a response, in the stage that it is in; without one its name is empty. */
export function toContactResponse(contact: StoredContact, stage: Pick<Stage, 'name'> | undefined): Contact {
  const {
    conversationAssignees: _,
    consent: __,
    optedOutAt: ___,
    childrenDigest: ____,
    sender: _____,
    ...rest
  } = contact;
  return {
    ...rest,
    fullName: fullName(contact),
    stage: stage?.name ?? '',
    consent: consentOf(contact),
  };
}
