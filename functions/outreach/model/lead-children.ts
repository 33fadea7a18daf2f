import { applicationLimit, newApplication } from '../../../shared/contact-aggregate/application.ts';
import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { conversationOn, withConversation } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { activePipeline, type Pipeline } from '../../../shared/contacts/pipeline.ts';
import { requestedStage } from '../../../shared/contacts/stages.ts';
import { newConversation } from '../../../shared/conversations/conversation.ts';
import { childId } from '../../../shared/kernel/child-id.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { StoredConfiguration } from './configuration.ts';

/** Ids for what a lead may add to a contact. */
export interface ChildIds {
  readonly conversation: string;
  readonly application: string;
}

/** The aggregate with the SMS conversation of every lead; the contact's owner owns a new one. */
export function withSmsConversation(state: ContactState, ids: ChildIds, at: Timestamp): ContactState {
  if (conversationOn(state, 'sms') !== undefined) {
    return state;
  }
  const { contact } = state;
  const id = childId(contact._id, ids.conversation);
  return withConversation(state, newConversation(id, contact, 'sms', contact.owner, at));
}

/** The contact's application from a configuration; there is at most one. */
export function applicationFrom({ applications }: ContactState, { _id }: StoredConfiguration) {
  return applications.find(({ configurationId }) => configurationId === _id);
}

/**
 * The aggregate with the configuration's application, if it creates them: in the first stage of the active Application pipeline.
 * None without such a pipeline, or for a contact with the most applications.
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
  const hasPipeline = activePipeline(pipelines, 'Application') !== undefined;
  if (!createApplication || !isRoom || !hasPipeline || applicationFrom(state, configuration) !== undefined) {
    return state;
  }
  const stageRef = requestedStage(pipelines, 'Application', {});
  const application = newApplication(
    childId(contact._id, ids.application),
    contact,
    stageRef,
    { userId, name, configurationId },
    at,
  );
  return { ...state, applications: [...applications, application] };
}
