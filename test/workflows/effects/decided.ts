import { compilePlan } from '../../../functions/workflows/model/definition/compile-plan.ts';
import { decide } from '../../../functions/workflows/model/execution/decide.ts';
import type { Decision } from '../../../functions/workflows/model/execution/decision.ts';
import { startingRun } from '../../../functions/workflows/model/execution/lifecycle.ts';
import type { StepContext } from '../../../functions/workflows/model/execution/step-context.ts';
import type { StoredApplication } from '../../../shared/contact-aggregate/application.ts';
import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Pipeline, PipelineType } from '../../../shared/contacts/pipeline.ts';
import type { Conversation } from '../../../shared/conversations/conversation.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { storedContact } from '../../contacts/stored-contact.ts';

const at = '2026-03-02T10:00:00.000Z';

export const owner: NonNullable<StepContext['owner']> = {
  userId: 'owner',
  role: 'SALES_REP',
  organizationId: 'o',
  homeOrganizationId: 'o',
};

/** Ada Lovelace, with a phone number and an owner, unless the test says otherwise. */
const contactWith = (fields: Partial<StoredContact> = {}) =>
  storedContact({
    phoneNumbers: [{ value: '+15550100', label: '', isPrimary: true }],
    owner: 'rep',
    ...fields,
  });

export function stateWith(
  contact: Partial<StoredContact> = {},
  children: Partial<Pick<ContactState, 'conversations' | 'applications'>> = {},
): ContactState {
  return { contact: contactWith(contact), conversations: [], applications: [], ...children };
}

export function pipelineWith(id: string, type: PipelineType, names: readonly string[]): Pipeline {
  const stages = names.map((name) => ({ _id: `${id}-${name}`, name }));
  return {
    _id: id,
    organizationId: 'o',
    name: id,
    type,
    stages,
    isActive: true,
    createdAt: at,
    updatedAt: at,
  };
}

export const applicationWith = (id: string): StoredApplication => ({
  _id: id,
  organizationId: 'o',
  contactId: 'ada',
  userId: 'owner',
  name: 'Loan',
  pipelineId: 'loans',
  stageId: 'loans-Sent',
  customFields: {},
  history: [],
  createdAt: at,
  updatedAt: at,
});

export const conversationWith = (id: string, more: Partial<Conversation> = {}): Conversation => ({
  _id: id,
  contactId: 'ada',
  organizationId: 'o',
  userId: 'rep',
  assignees: [],
  channel: 'sms',
  lastMessage: null,
  lastMessageAt: null,
  messageCount: 0,
  isResolved: false,
  createdAt: at,
  updatedAt: at,
  ...more,
});

interface Given {
  readonly context?: Partial<StepContext>;
  readonly settings?: Record<string, unknown>;
  /** The records that the type of node reads beside the context. */
  readonly extra?: unknown;
  readonly now?: Date;
}

/** The engine's decision about a step of this type, for Ada unless the context say otherwise. */
export function decided(type: string, data: object, { context, settings, extra, now }: Given = {}): Decision {
  const plan = compilePlan(JSON.stringify({ nodes: [{ id: 'step', type, data }], edges: [], settings }));
  const run = startingRun(
    {
      _id: 'run',
      workflowId: 'workflow',
      contactId: 'ada',
      userId: owner.userId,
      revision: 1,
      triggerId: 'step',
      topic: 'manual.started',
      chain: ['workflow'],
    },
    new Date(at),
  );
  const known: StepContext = {
    state: stateWith(),
    pipelines: [],
    hours: businessHours.initial,
    owner,
    event: {},
    steps: {},
    ...context,
  };
  const [token] = run.tokens;
  if (token === undefined) {
    throw new Error('A run begins with a token');
  }
  return decide(plan, run, token, known, extra, now ?? new Date(at));
}
