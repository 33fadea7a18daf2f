import { applicationLimit, newApplication } from '../../../shared/applications/application.ts';
import type { Filed } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { ownedId } from '../../../shared/contacts/child-id.ts';
import {
  conversationOn,
  newConversation,
  withConversation,
} from '../../../shared/conversations/correspondence.ts';
import { activePipeline, type Pipeline } from '../../../shared/pipelines/pipeline.ts';
import { stageMeant } from '../../../shared/pipelines/stages.ts';
import type { Timestamp } from '../../../shared/time.ts';
import type { StoredConfiguration } from './configuration.ts';

/** Identifiers of what a contact may get by a lead. */
export interface BelongingIds {
  readonly conversation: string;
  readonly application: string;
}

/** What is filed, with the SMS conversation that every lead has; a new one belongs to the contact's owner. */
export function withSmsConversation(filed: Filed, ids: BelongingIds, at: Timestamp): Filed {
  if (conversationOn(filed, 'sms') !== undefined) {
    return filed;
  }
  const { contact } = filed;
  const id = ownedId(contact._id, ids.conversation);
  return withConversation(filed, newConversation(id, contact, 'sms', contact.owner, at));
}

/** The application of a configuration; a contact has one of each at most. */
export function applicationFrom({ applications }: Filed, { _id }: StoredConfiguration) {
  return applications.find(({ configurationId }) => configurationId === _id);
}

/**
 * What is filed, with the application of the configuration if it wants one: in the first stage of the active Application
 * pipeline. Without such a pipeline, or for a contact that has as many applications as it may, there is none.
 */
export function withApplication(
  filed: Filed,
  configuration: StoredConfiguration,
  pipelines: readonly Pipeline[],
  ids: BelongingIds,
  at: Timestamp,
): Filed {
  const { contact, applications } = filed;
  const { _id: configurationId, createApplication, userId, name } = configuration;
  const isRoom = applications.length < applicationLimit;
  const isPlace = activePipeline(pipelines, 'Application') !== undefined;
  if (!createApplication || !isRoom || !isPlace || applicationFrom(filed, configuration) !== undefined) {
    return filed;
  }
  const place = stageMeant(pipelines, 'Application', {});
  const application = newApplication(
    ownedId(contact._id, ids.application),
    contact,
    place,
    { userId, name, configurationId },
    at,
  );
  return { ...filed, applications: [...applications, application] };
}
