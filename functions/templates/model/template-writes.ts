import { Failure } from '../../../shared/kernel/failure.ts';
import type { Step, Stored, TableWriter } from '../../../shared/table/table.ts';
import {
  type StoredTemplate,
  type TemplateVisibility,
  templateKey,
  templateQuotaKey,
  visibilityOf,
} from '../../../shared/templates/template.ts';
import { shownTemplate } from './template-response.ts';

/** Bytes of the templates on one shelf: the list of both that a user sees is one answer, which the platform limits. */
const shelfLimit = 2 * 1024 * 1024;

/**
 * The steps that take a template from one state to another, and count what its shelf holds.
 * @throws a 409 `Failure` (when committed) for a shelf that is full.
 */
export function shelvingSteps(
  table: TableWriter,
  before: Stored<StoredTemplate> | undefined,
  after: StoredTemplate | undefined,
): Step[] {
  const [had, has] = [before?.data, after].map((template) => template && visibilityOf(template));
  const [was, is] = [bytesOf(before?.data), bytesOf(after)];
  const stays = had !== undefined && has !== undefined && had.join() === has.join();
  if (stays && before !== undefined && after !== undefined) {
    return [table.replace(before, after), ...weightSteps(table, has, is - was)];
  }
  return [
    ...(before === undefined ? [] : [table.remove(before), ...weightSteps(table, had, -was)]),
    ...(after === undefined || has === undefined
      ? []
      : [table.add(templateKey(has, after._id), after), ...weightSteps(table, has, is)]),
  ];
}

function bytesOf(template: StoredTemplate | undefined): number {
  return template === undefined ? 0 : Buffer.byteLength(JSON.stringify(shownTemplate(template)));
}

function weightSteps(table: TableWriter, shelf: TemplateVisibility | undefined, by: number): Step[] {
  if (shelf === undefined || by === 0) {
    return [];
  }
  const key = templateQuotaKey(shelf);
  if (by < 0) {
    return [table.change(key, { update: 'ADD n :by', values: { by } })];
  }
  const whose = shelf[0] === 'shared' ? 'that the organization shares' : 'of one user';
  return [
    table.change(key, {
      update: 'ADD n :by',
      when: 'attribute_not_exists(n) OR n <= :room',
      values: { by, room: shelfLimit - by },
      otherwise: () =>
        new Failure('CONFLICT', `The templates ${whose} have at most 2 MB together. Delete some first.`),
    }),
  ];
}
