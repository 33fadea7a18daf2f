import { isDeepStrictEqual } from 'node:util';
import type { StoredContact } from '../contacts/contact.ts';
import type { Stage } from '../contacts/pipeline.ts';
import { contactIdIn } from '../kernel/child-id.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';

/** An application in responses. Source: decisions 10, "Application". */
export interface Application {
  _id: string;
  organizationId: string;
  contactId: string;
  /** The creator. */
  userId: string;
  name: string;
  pipelineId: string;
  stageId: string;
  /** The name of the stage. */
  stage: string;
  customFields: Record<string, unknown>;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A stored application. */
export interface StoredApplication extends Omit<Application, 'stage'> {
  /** The outreach configuration it came from: a contact has at most one application from each. */
  configurationId?: string;
  /** Its stages, with the time of entering each; oldest first. */
  history: { stageId: string; stage: string; userId: string; at: Timestamp }[];
}

/**
 * Applications of one contact. When the contact changes, the same transaction writes the entry of each again. Source: decisions 10,
 * "Application".
 */
export const applicationLimit = 25;

/** The latest entries of a history. */
export const historyLimit = 100;

/** A stage with its pipeline. */
export interface ApplicationPosition {
  readonly pipelineId: string;
  readonly stage: Stage;
}

/** A new application of this contact, created by `userId`. */
export function newApplication(
  id: string,
  { _id: contactId, organizationId }: Pick<StoredContact, '_id' | 'organizationId'>,
  { pipelineId, stage }: ApplicationPosition,
  fields: Pick<StoredApplication, 'userId' | 'name' | 'configurationId'> & {
    customFields?: StoredApplication['customFields'] | undefined;
  },
  at: Timestamp,
): StoredApplication {
  const { customFields = {}, ...rest } = fields;
  return {
    _id: id,
    organizationId,
    contactId,
    ...rest,
    pipelineId,
    stageId: stage._id,
    customFields,
    history: [{ stageId: stage._id, stage: stage.name, userId: rest.userId, at }],
    createdAt: at,
    updatedAt: at,
  };
}

/** The application with its changed fields; the same object if nothing changes. */
export function editedApplication(
  application: StoredApplication,
  fields: { readonly name?: string | undefined; readonly customFields?: Record<string, unknown> | undefined },
  at: Timestamp,
): StoredApplication {
  const edited = { ...application, ...definedOnly(fields) };
  return isDeepStrictEqual(edited, application) ? application : { ...edited, updatedAt: at };
}

/** The application after `userId` moved it to another stage. */
export function movedApplication(
  application: StoredApplication,
  { pipelineId, stage }: ApplicationPosition,
  userId: string,
  at: Timestamp,
): StoredApplication {
  const stand = { stageId: stage._id, stage: stage.name, userId, at };
  return {
    ...application,
    pipelineId,
    stageId: stage._id,
    // One more than is shown: the oldest move shown began in it.
    history: [...application.history, stand].slice(-historyLimit - 1),
    updatedAt: at,
  };
}

/** The application for a response, in the stage that it is in; without one its name is empty. */
export function toApplicationResponse(
  application: StoredApplication,
  stage: Pick<Stage, 'name'> | undefined,
): Application {
  const { configurationId: _, history: __, ...rest } = application;
  return { ...rest, stage: stage?.name ?? '' };
}

/** The creation of an application (without a former stage), or a move. */
export interface ApplicationMove {
  at: Timestamp;
  userId: string;
  fromStageId: string | null;
  fromStage: string | null;
  toStageId: string;
  toStage: string;
}

/** The creation and the moves of an application, oldest first, with the stages' names at that time. */
export function applicationMoves({ history }: Pick<StoredApplication, 'history'>): ApplicationMove[] {
  return history
    .map(({ at, userId, stageId, stage }, index) => {
      const from = history[index - 1];
      return {
        at,
        userId,
        fromStageId: from?.stageId ?? null,
        fromStage: from?.stage ?? null,
        toStageId: stageId,
        toStage: stage,
      };
    })
    .slice(-historyLimit);
}

export const applicationKey = (id: string): Key<StoredApplication> => ({
  partition: ['CONTACT', contactIdIn(id)],
  sort: ['APPLICATION', id],
});

export const applicationRange = (contactId: string): Range<StoredApplication> => ({
  partition: ['CONTACT', contactId],
  under: ['APPLICATION'],
});
