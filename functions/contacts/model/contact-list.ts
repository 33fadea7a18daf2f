import { type BoardPlan, type BoardViewer, planBoard } from '../../../shared/board/board-plan.ts';
import type { BoardQuery } from '../../../shared/board/board-query.ts';
import { contactInRow } from '../../../shared/board/board-row.ts';
import { searchQuery } from '../../../shared/board/search-page.ts';
import { indexedContact } from '../../../shared/column-index/indexed-contact.ts';
import {
  comparePlaces,
  firstPlaces,
  type TimeOrder,
  type TimePlace,
} from '../../../shared/column-index/ordered-matches.ts';
import { familiesFor, type SearchQuery } from '../../../shared/column-index/query.ts';
import { searchIndex } from '../../../shared/column-index/search-columns.ts';
import { boardRange } from '../../../shared/contact-aggregate/card.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Pipelines } from '../../../shared/contacts/pipeline.ts';
import { stagesById } from '../../../shared/contacts/stages.ts';
import { toContactResponse } from '../../../shared/contacts/to-contact-response.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { nameKey } from '../../../shared/kernel/names/folded.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

export interface ListRequest {
  /** The filters of a board; without a pipeline, of all pipelines of contacts. */
  readonly query: Omit<BoardQuery, 'stages'>;
  /** Ids or names of stages; undefined for all. */
  readonly stages: readonly string[] | undefined;
  readonly pipelines: Stored<Pipelines>;
  readonly viewer: BoardViewer;
  readonly order: TimeOrder;
  readonly now: Date;
}

/** A contact of a list, or what takes the place of one. */
export interface ListItem extends TimePlace {
  /** As JSON. */
  readonly text: string;
}

/**
 * The first contacts of the order that match, exact as of a moment during the request in each pipeline.
 * @throws a 404 `Failure` for a pipeline that is none of contacts.
 */
export async function readContactList(
  table: TableReader,
  { query, stages, pipelines: { data, version }, viewer, order, now }: ListRequest,
): Promise<ListItem[]> {
  const { pipelineId } = query;
  const ofContacts = data.pipelines.filter(
    ({ _id, type }) => type === 'Contact' && (pipelineId === undefined || _id === pipelineId),
  );
  if (pipelineId !== undefined && ofContacts.length === 0) {
    throw new Failure('NOT_FOUND', 'pipelineId is not the id of a Contact pipeline of this organization');
  }
  const byId = stagesById(data.pipelines);
  const cards = {
    version,
    textOf: (contact: StoredContact) => JSON.stringify(toContactResponse(contact, byId.get(contact.stageId))),
  };
  const wanted = stages && new Set(stages.map(nameKey));
  const lists = ofContacts.map(async ({ _id }) => {
    const plan = planBoard({ ...query, pipelineId: _id }, data.pipelines, viewer, now);
    const columns = plan.columns.filter(
      ({ stage }) => wanted === undefined || stages?.includes(stage._id) || wanted.has(nameKey(stage.name)),
    );
    return readPipeline(table, { ...plan, columns }, { order, cards, now });
  });
  return (await Promise.all(lists))
    .flat()
    .sort((one, other) => comparePlaces(one, other, order.descending))
    .slice(0, order.limit);
}

interface Reading {
  readonly order: TimeOrder;
  readonly cards: { readonly version: number; textOf(contact: StoredContact): string };
  readonly now: Date;
}

async function readPipeline(
  table: TableReader,
  plan: BoardPlan,
  { order, cards, now }: Reading,
): Promise<ListItem[]> {
  const [first] = plan.columns;
  if (first === undefined) {
    return [];
  }
  const query = searchQuery(plan, []);
  const stageIds = plan.columns.map(({ stage }) => stage._id);
  const result = await searchIndex(
    table,
    {
      pipeline: first.pipeline,
      families: [...familiesFor(query), ...(order.by === 'updatedAt' ? (['updates'] as const) : [])],
      cards,
      find: (index) =>
        firstPlaces(
          stageIds.map((stageId) => index.matches(stageId, query)),
          order,
        ),
      idsIn: (places: readonly TimePlace[]) => places.map(({ id }) => id),
    },
    now,
  );
  return result === undefined
    ? readLists(table, plan, query, { order, cards, now })
    : result.found.map((place) => ({ ...place, text: result.texts.get(place.id) ?? '' }));
}

/** The same from the lists of the board, for a pipeline whose index cannot be followed because an import is under way. */
async function readLists(
  table: TableReader,
  { columns }: BoardPlan,
  query: SearchQuery,
  { order, cards }: Reading,
): Promise<ListItem[]> {
  const found = new Map<string, StoredContact>();
  for (const column of columns) {
    for await (const rows of table.rows(boardRange(column.stage._id, ['all']), { consistent: true })) {
      for (const row of rows) {
        const contact = contactInRow(row, column);
        if (query.matches(indexedContact(contact))) {
          found.set(contact._id, contact);
        }
      }
    }
  }
  const changed = [...found.values()].map(indexedContact);
  return firstPlaces([{ rows: [], changed }], order).map((place) => {
    const contact = found.get(place.id);
    return { ...place, text: contact === undefined ? '' : cards.textOf(contact) };
  });
}
