import * as z from 'zod/mini';
import { type Contact, toContactResponse } from '../../../shared/contacts/contact.ts';
import { ContactResponse, contactDescriptions } from '../../../shared/contacts/contact-response.ts';
import { described } from '../../../shared/kernel/descriptions.ts';
import { anyText } from '../../../shared/kernel/fields.ts';
import type { Stage } from '../../../shared/pipelines/pipeline.ts';
import type { BoardContact } from './board-row.ts';

/** Source: decisions 6, "Application board". */
export const BoardContactResponse = described(
  z.object({ ...ContactResponse.shape, applicationId: z.optional(anyText) }),
  {
    ...contactDescriptions,
    applicationId: 'On boards of applications: the application that puts the contact in the column.',
  },
  {
    id: 'BoardContact',
    description:
      'A contact in a column of a board. `pipelineId`, `stageId` and `stage` are always those of the contact itself.',
  },
);

/** `stages` are all of the organization's, by id. */
export function toBoardResponse(
  { applicationId, ...contact }: BoardContact,
  stages: ReadonlyMap<string, Stage>,
): Contact & { applicationId?: string } {
  return {
    ...toContactResponse(contact, stages.get(contact.stageId)),
    ...(applicationId === undefined ? {} : { applicationId }),
  };
}
