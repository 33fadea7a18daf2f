import {
  type ApplicationCard,
  type Card,
  type CardPosition,
  contactFromCard,
} from '../contact-aggregate/card.ts';
import type { StoredContact } from '../contacts/contact.ts';
import type { Pipeline, Stage } from '../contacts/pipeline.ts';
import { contactIdIn } from '../kernel/child-id.ts';
import { unpacked } from '../kernel/packing.ts';
import { keyParts } from '../table/key.ts';
import type { RawRow } from '../table/table.ts';

/** A contact in a column of a board. */
export interface BoardContact extends StoredContact {
  /** On boards of applications, the one that puts the contact into the column. */
  readonly applicationId?: string;
}

/** The column of a row. */
export interface BoardColumn {
  readonly organizationId: string;
  readonly pipeline: Pipeline;
  readonly stage: Stage;
}

/** The part of a column that a row's contact takes from it. */
export interface RowColumn {
  readonly organizationId: string;
  readonly pipeline: Pick<Pipeline, '_id' | 'type'>;
  readonly stage: Pick<Stage, '_id'>;
}

/** The contact in a row. */
export function contactInRow(
  { sk, data = '' }: RawRow,
  { organizationId, pipeline, stage }: RowColumn,
): BoardContact {
  const [createdAt = '', _id = ''] = keyParts(sk);
  if (pipeline.type === 'Application') {
    const card = unpacked<ApplicationCard>(data);
    const [pipelineId, stageId] = card.q;
    const position = {
      _id: card.h ?? contactIdIn(_id),
      createdAt: card.k,
      organizationId,
      pipelineId,
      stageId,
    };
    return { ...contactFromCard(card, position), applicationId: _id };
  }
  const position: CardPosition = {
    _id,
    createdAt,
    organizationId,
    pipelineId: pipeline._id,
    stageId: stage._id,
  };
  return contactFromCard(unpacked<Card>(data), position);
}
