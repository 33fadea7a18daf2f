import * as z from 'zod/mini';
import type { Contact } from '../contacts/contact.ts';
import { ContactResponse, contactDescriptions } from '../contacts/contact-response.ts';
import type { Stage } from '../contacts/pipeline.ts';
import { toContactResponse } from '../contacts/to-contact-response.ts';
import { Failure } from '../kernel/failure.ts';
import { JsonText } from '../kernel/http/json-text.ts';
import { oversizedMessage } from '../kernel/http/response.ts';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString } from '../kernel/schemas/fields.ts';
import type { BoardPlan } from './board-plan.ts';
import type { BoardContact } from './board-row.ts';
import type { ColumnPage } from './page-cache.ts';

/** Source: decisions 6, "Application board". */
export const BoardContactResponse = described(
  z.object({ ...ContactResponse.shape, applicationId: z.optional(anyString) }),
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
  contact: BoardContact,
  stages: ReadonlyMap<string, Stage>,
): Contact & { applicationId?: string } {
  const response = toContactResponse(contact, stages.get(contact.stageId));
  const { applicationId } = contact;
  return applicationId === undefined ? response : { ...response, applicationId };
}

/**
 * Characters of all pages that are worth compressing: contacts become about a tenth, and 4.4 MB of that are the most that the platform
 * passes on. To find that out from 80 million characters would take a function seconds.
 */
const maxCharacters = 48_000_000;

/**
 * The board as JSON text: most pages are cached as text. A column's name may be digits, which an object would sort.
 * @throws a 400 `Failure` for a board that is too large to be sent.
 */
export function boardText(
  { columns }: Pick<BoardPlan, 'columns'>,
  pagesByStage: ReadonlyMap<string, ColumnPage>,
): JsonText {
  const pages = columns.map(({ stage }) => pagesByStage.get(stage._id) ?? emptyPage);
  if (pages.reduce((sum, { contacts }) => sum + contacts.length, 0) > maxCharacters) {
    throw new Failure('INVALID', oversizedMessage);
  }
  const names = columns.map(({ stage }) => JSON.stringify(stage.name));
  const data = pages.map(
    ({ contacts, total }, index) => `${names[index]}:{"contacts":${contacts},"total":${total}}`,
  );
  const ids = columns.map(({ stage }, index) => `${names[index]}:${JSON.stringify(stage._id)}`);
  return new JsonText(`{"data":{${data.join()}},"stageIdByName":{${ids.join()}}}`);
}

const emptyPage: ColumnPage = { contacts: '[]', total: 0 };
