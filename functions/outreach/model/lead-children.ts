import { applicationLimit, newApplication } from '../../../shared/applications/application.ts';
import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { conversationOn, withConversation } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import { newConversation } from '../../../shared/conversations/conversation.ts';
import { activePipeline, type Pipeline } from '../../../shared/pipelines/pipeline.ts';
import { stageMeant } from '../../../shared/pipelines/stages.ts';
import type { Timestamp } from '../../../shared/time.ts';
import type { StoredConfiguration } from './configuration.ts';

/** Identifiers of what a contact may get by a lead. */
export interface ChildIds {
  readonly conversation: string;
  readonly application: string;
}

/** The aggregate with the SMS conversation that every lead has; a new one belongs to the contact's owner. */
export function withSmsConversation(state: ContactState, ids: ChildIds, at: Timestamp): ContactState {
  if (conversationOn(state, 'sms') !== undefined) {
    return state;
  }
  const { contact } = state;
  const id = childId(contact._id, ids.conversation);
  return withConversation(state, newConversation(id, contact, 'sms', contact.owner, at));
}

/** The application of a configuration; a contact has one of each at most. */
export function applicationFrom({ applications }: ContactState, { _id }: StoredConfiguration) {
  return applications.find(({ configurationId }) => configurationId === _id);
}

/**
 * The aggregate with the application of the configuration if it wants one: in the first stage of the active Application
 * pipeline. Without such a pipeline, or for a contact that has as many applications as it may, there is none.
 */
export function withApplication(
  state: ContactState,
  configuration: StoredConfiguration,
  pipelines: readonly Pipeline[],
  ids: ChildIds,
  at: Timestamp,
): ContactState {
  const { contact, applications } = state;
  const { _id: configurationId, createApplication, userId, name } = configuration;
  const isRoom = applications.length < applicationLimit;
  const isPlace = activePipeline(pipelines, 'Application') !== undefined;
  if (!createApplication || !isRoom || !isPlace || applicationFrom(state, configuration) !== undefined) {
    return state;
  }
  const place = stageMeant(pipelines, 'Application', {});
  const application = newApplication(
    childId(contact._id, ids.application),
    contact,
    place,
    { userId, name, configurationId },
    at,
  );
  return { ...state, applications: [...applications, application] };
}
