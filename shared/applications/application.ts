import type { ApplicationCard } from '../board/card.ts';
import type { StoredContact } from '../contacts/contact.ts';
import type { Stage } from '../pipelines/pipeline.ts';
import type { Key, Range } from '../table/key.ts';
import type { Timestamp } from '../time.ts';

/** An application as answered. Source: decisions 10, "Application". */
export interface Application {
  _id: string;
  organizationId: string;
  contactId: string;
  /** Who made it. */
  userId: string;
  name: string;
  pipelineId: string;
  stageId: string;
  /** The stage's name. */
  stage: string;
  customFields: Record<string, unknown>;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** An application of a contact in a pipeline of its own, as stored. */
export interface StoredApplication extends Omit<Application, 'stage'> {
  /** The outreach configuration it came from; one application for each and contact. */
  configurationId?: string;
  /** Where it stood, and since when; oldest first. */
  history: { stageId: string; stage: string; userId: string; at: Timestamp }[];
}

/** Applications of one contact: the entry of each is written again, in the same transaction, when the contact changes. */
export const applicationLimit = 5;

/** Entries of a history, the latest. */
export const historyLimit = 100;

/** Where an application stands: a stage of a pipeline, by the name it has at that moment. */
export interface ApplicationPlace {
  readonly pipelineId: string;
  readonly stage: Stage;
}

/** An application of this contact that `userId` makes. */
export function newApplication(
  id: string,
  { _id: contactId, organizationId }: Pick<StoredContact, '_id' | 'organizationId'>,
  { pipelineId, stage }: ApplicationPlace,
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

/** The application in another stage, where `userId` put it. */
export function movedApplication(
  application: StoredApplication,
  { pipelineId, stage }: ApplicationPlace,
  userId: string,
  at: Timestamp,
): StoredApplication {
  const stand = { stageId: stage._id, stage: stage.name, userId, at };
  return {
    ...application,
    pipelineId,
    stageId: stage._id,
    // One more than is shown: it tells from where the oldest move went.
    history: [...application.history, stand].slice(-historyLimit - 1),
    updatedAt: at,
  };
}

/** The application as answered. */
export function toApplicationResponse(
  application: StoredApplication,
  stage: Pick<Stage, 'name'> | undefined,
): Application {
  const { configurationId: _, history: __, ...rest } = application;
  return { ...rest, stage: stage?.name ?? '' };
}

/** A step in the life of an application: its making, from nowhere, or a move. */
export interface ApplicationMove {
  at: Timestamp;
  userId: string;
  fromStageId: string | null;
  fromStage: string | null;
  toStageId: string;
  toStage: string;
}

/** The making of an application and its moves, oldest first; stages by the names they had then. */
export function movesOf({ history }: Pick<StoredApplication, 'history'>): ApplicationMove[] {
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

export const applicationKey = (contactId: string, id: string): Key<StoredApplication> => ({
  partition: ['CONTACT', contactId],
  sort: ['APPLICATION', id],
});

export const applicationRange = (contactId: string): Range<StoredApplication> => ({
  partition: ['CONTACT', contactId],
  under: ['APPLICATION'],
});

/** An application on the board of its pipeline, among those of everybody. */
export const applicationEntryKey = ({
  stageId,
  createdAt,
  _id,
}: StoredApplication): Key<ApplicationCard> => ({
  partition: ['BOARD', stageId, 'all'],
  sort: [createdAt, _id],
});
