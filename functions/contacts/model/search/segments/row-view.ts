import type { FilteredFields } from '../../filters.ts';
import type { PeopleColumns } from './people-columns.ts';

/** What filters compare, of the row that is set: one view serves for all rows, so that looking through them makes no objects. */
export class RowView implements FilteredFields {
  readonly #people: PeopleColumns;
  readonly #times: readonly (string | null)[];
  row = 0;

  constructor(people: PeopleColumns, times: readonly (string | null)[]) {
    this.#people = people;
    this.#times = times;
  }

  get createdBy() {
    return this.#people.createdBy(this.row);
  }

  get owner() {
    return this.#people.owner(this.row);
  }

  get assignees() {
    return this.#people.assignees(this.row);
  }

  get conversationAssignees() {
    return this.#people.conversationAssignees(this.row);
  }

  get source() {
    return this.#people.source(this.row);
  }

  get isBulkImport() {
    return this.#people.isBulkImport(this.row);
  }

  get lastMessageAt() {
    return this.#times[this.row] ?? null;
  }

  get lastMessageDirection() {
    return this.#people.lastMessageDirection(this.row);
  }
}
