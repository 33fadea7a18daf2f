import type { StepRequest } from '../../../shared/events/step-operations.ts';
import type { ApiResponse } from '../../harness/call.ts';

/** A contact with all records that a step can be about. */
export interface Subject {
  readonly contactId: string;
  readonly applicationId: string;
  readonly conversationId: string;
}

/** The records that steps can name beside the contact, of the owner of the workflow or of others. */
export interface Targets {
  readonly colleague: string;
  /** Belongs to another organization. */
  readonly foreignAdmin: string;
  readonly ownTemplate: string;
  /** Which its creator alone may use. */
  readonly othersTemplate: string;
  readonly ownNumber: string;
  readonly othersNumber: string;
  /** A Contact pipeline beside the active one; it has the stage `Signed`. */
  readonly pipeline: string;
  readonly foreignPipeline: string;
  readonly foreignStage: string;
  /** Workflows that users start by hand. */
  readonly ownWorkflow: string;
  readonly othersWorkflow: string;
}

/** A step with an effect, and how its owner does the same by hand. */
export interface ActingStep {
  readonly type: string;
  readonly data: object;
  readonly operation: string;
  byHand(subject: Subject): StepRequest;
  /** The word for what is skipped where the operation refuses what it names with 404. */
  readonly missing?: string;
}

const content = 'Hello Ada';
const ofContact =
  (body: object) =>
  ({ contactId }: Subject) => ({ path: { id: contactId }, body });
const withContact =
  (body: object) =>
  ({ contactId }: Subject) => ({ body: { contactId, ...body } });

/** One of each type of node and target. The last ones change who may see the contact. */
export function actingStepsWith(targets: Targets): Record<string, ActingStep> {
  const send = (data: object, body: object, more: object = {}): ActingStep => ({
    ...{ type: 'sendMessage', data, operation: 'send-message', byHand: withContact(body), ...more },
  });
  const update = (type: string, data: object, body: object): ActingStep => ({
    ...{ type, data, operation: 'update-contact', byHand: ofContact(body), missing: 'user_gone' },
  });
  const move = (data: object, body: object): ActingStep => ({
    ...{ type: 'moveStage', data, operation: 'move-contact', byHand: ofContact(body), missing: 'stage_gone' },
  });
  const note = (body: object): ActingStep => ({
    ...{
      type: 'addNote',
      data: body,
      operation: 'create-note',
      byHand: withContact(body),
      missing: 'user_gone',
    },
  });
  const apply = (body: object): ActingStep => ({
    ...{ type: 'createApplication', data: body, operation: 'create-application' },
    ...{ byHand: withContact(body), missing: 'pipeline_gone' },
  });
  const notify = (userId: string): ActingStep => ({
    type: 'notifyUser',
    data: { userId, message: 'Look' },
    operation: 'notify-user',
    byHand: withContact({ userId, message: 'Look' }),
    missing: 'user_gone',
  });
  const start = (workflowId: string): ActingStep => ({
    type: 'startWorkflow',
    data: { workflowId },
    operation: 'run-workflow',
    byHand: ({ contactId }) => ({ path: { id: workflowId }, body: { contactId } }),
    missing: 'workflow_gone',
  });
  const remindAt = '2030-01-01T00:00:00Z';
  return {
    text: send({ content }, { content }),
    'text by a template of their own': send(
      { template: targets.ownTemplate },
      { templateId: targets.ownTemplate },
    ),
    "text by somebody else's template": send(
      { template: targets.othersTemplate },
      { templateId: targets.othersTemplate },
      { missing: 'template_gone' },
    ),
    'text from a number of their own': send(
      { content, from: targets.ownNumber },
      { content, from: targets.ownNumber },
    ),
    "text from somebody else's number": send(
      { content, from: targets.othersNumber },
      { content, from: targets.othersNumber },
    ),
    'new name': update('updateContact', { set: { lastName: 'King' } }, { lastName: 'King' }),
    'number that another contact has': update(
      'updateContact',
      { set: { phoneNumbers: [{ value: '+15550100' }] } },
      { phoneNumbers: [{ value: '+15550100' }] },
    ),
    'tags added': update('addTags', { tags: ['vip', 'new'] }, { addTags: ['vip', 'new'] }),
    'tags taken away': update('removeTags', { tags: ['vip'] }, { removeTags: ['vip'] }),
    'stage by name': move({ stage: 'Won' }, { stage: 'Won' }),
    'stage of another pipeline': move(
      { stage: 'Signed', pipelineId: targets.pipeline },
      { stage: 'Signed', pipelineId: targets.pipeline },
    ),
    'stage of another organization': move({ stage: targets.foreignStage }, { stage: targets.foreignStage }),
    note: note({ note: 'Called', mentions: [targets.colleague] }),
    'note that mentions somebody foreign': note({ note: 'Called', mentions: [targets.foreignAdmin] }),
    reminder: {
      type: 'createReminder',
      data: { note: 'Call', remindAt },
      operation: 'create-reminder',
      byHand: withContact({ note: 'Call', remindAt }),
    },
    // Before the run makes an application of its own, the contact's is moved.
    'application moved': {
      type: 'moveApplication',
      data: { stage: 'In review' },
      operation: 'move-application',
      byHand: ({ applicationId }) => ({ path: { id: applicationId }, body: { stage: 'In review' } }),
    },
    application: apply({ name: 'Loan', stage: 'In review' }),
    'application in a foreign pipeline': apply({ name: 'Loan', pipelineId: targets.foreignPipeline }),
    notification: notify(targets.colleague),
    'notification to somebody foreign': notify(targets.foreignAdmin),
    'conversation resolved': {
      type: 'resolveConversation',
      data: {},
      operation: 'update-conversation',
      byHand: ({ conversationId }) => ({ path: { id: conversationId }, body: { isResolved: true } }),
    },
    'workflow of their own': start(targets.ownWorkflow),
    "somebody else's workflow": start(targets.othersWorkflow),
    'other runs stopped': {
      ...{ type: 'stopOthers', data: {}, operation: 'cancel-runs-of-contact' },
      byHand: ofContact({}),
    },
    'owner of another organization': update(
      'assign',
      { userId: targets.foreignAdmin },
      { owner: targets.foreignAdmin },
    ),
    'colleague as owner': update('assign', { userId: targets.colleague }, { owner: targets.colleague }),
    'note by a former owner': note({ note: 'Once more' }),
  };
}

/**
 * What the step record of a step must say if its operation gave this response by hand. Only those who see the contact learn what is missing.
 */
export function expectedStepRecord({ missing }: ActingStep, { status, body }: ApiResponse, isSeen: boolean) {
  if (status < 300) {
    // A run that may not start, because the owner of its workflow does not see the contact.
    const [refused] = body.data?.refused ?? [];
    return refused === undefined ? { status: 'passed' } : { status: 'skipped', reason: refused.reason };
  }
  return isSeen && status === 404 && missing !== undefined && body.message !== 'Contact not found'
    ? { status: 'skipped', reason: missing }
    : { status: 'failed', reason: body.message };
}
