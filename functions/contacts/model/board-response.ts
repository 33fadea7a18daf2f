import * as z from 'zod/mini';
import { type Contact, toContactResponse } from '../../../shared/contacts/contact.ts';
import { ContactResponse, contactDescriptions } from '../../../shared/contacts/contact-response.ts';
import { described } from '../../../shared/kernel/descriptions.ts';
import { anyText } from '../../../shared/kernel/fields.ts';
import { JsonText } from '../../../shared/kernel/json-text.ts';
import type { Stage } from '../../../shared/pipelines/pipeline.ts';
import type { BoardPlan } from './board-plan.ts';
import type { BoardContact } from './board-row.ts';
import type { ColumnPage } from './kept-pages.ts';

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

/** The board as JSON text: most pages are kept as text. A column's name may be digits, which an object would sort. */
export function boardText(
  { columns }: Pick<BoardPlan, 'columns'>,
  pages: ReadonlyMap<string, ColumnPage>,
): JsonText {
  const names = columns.map(({ stage }) => JSON.stringify(stage.name));
  const data = columns.map(({ stage }, index) => {
    const { contacts = '[]', total = 0 } = pages.get(stage._id) ?? {};
    return `${names[index]}:{"contacts":${contacts},"total":${total}}`;
  });
  const ids = columns.map(({ stage }, index) => `${names[index]}:${JSON.stringify(stage._id)}`);
  return new JsonText(`{"data":{${data.join()}},"stageIdByName":{${ids.join()}}}`);
}
