import { Failure } from '../../../shared/kernel/failure.ts';
import {
  type StoredTemplate,
  type TemplateVisibility,
  templateBytesKey,
  templateKey,
  templateVisibility,
} from '../../../shared/messages/template.ts';
import type { Action, Stored, TableWriter } from '../../../shared/table/table.ts';
import { toTemplateResponse } from './template-response.ts';

/** Bytes that the templates with one visibility may take. A user lists those of two in one response, which the platform limits to 6 MB. */
const maxBytes = 2 * 1024 * 1024;

/**
 * The actions that create, change or delete a template and count the bytes of its visibility.
 * @throws a 409 `Failure` (on commit) when they would take more than that.
 */
export function templateWrites(
  table: TableWriter,
  before: Stored<StoredTemplate> | undefined,
  after: StoredTemplate | undefined,
): Action[] {
  const [had, has] = [before?.data, after].map((template) => template && templateVisibility(template));
  const [was, is] = [bytesOf(before?.data), bytesOf(after)];
  const stays = had !== undefined && has !== undefined && had.join() === has.join();
  if (stays && before !== undefined && after !== undefined) {
    return [table.replace(before, after), ...bytesActions(table, has, is - was)];
  }
  return [
    ...(before === undefined
      ? []
      : [table.delete(before.key, { ifVersion: before.version }), ...bytesActions(table, had, -was)]),
    ...(after === undefined || has === undefined
      ? []
      : [table.add(templateKey(has, after._id), after), ...bytesActions(table, has, is)]),
  ];
}

function bytesOf(template: StoredTemplate | undefined): number {
  return template === undefined ? 0 : Buffer.byteLength(JSON.stringify(toTemplateResponse(template)));
}

function bytesActions(table: TableWriter, visibility: TemplateVisibility | undefined, by: number): Action[] {
  if (visibility === undefined || by === 0) {
    return [];
  }
  const key = templateBytesKey(visibility);
  if (by < 0) {
    return [table.updateAction(key, { update: 'ADD n :by', values: { by } })];
  }
  const whose = visibility[0] === 'shared' ? 'that the organization shares' : 'of one user';
  return [
    table.updateAction(key, {
      update: 'ADD n :by',
      when: 'attribute_not_exists(n) OR n <= :room',
      values: { by, room: maxBytes - by },
      otherwise: () =>
        new Failure('CONFLICT', `The templates ${whose} may take at most 2 MB together. Delete some first.`),
    }),
  ];
}
