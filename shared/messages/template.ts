import type { Caller } from '../kernel/caller.ts';
import { type Role, reaches } from '../kernel/caller.ts';
import { Failure, notFound } from '../kernel/failure.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import { readAll } from '../table/read-all.ts';
import type { QueryOptions, Stored, TableReader } from '../table/table.ts';

/** The purposes of a template. Source: specification, "Template". */
export const templateTypes = ['sms', 'campaign', 'script', 'automation'] as const;
export type TemplateType = (typeof templateTypes)[number];

/** A text with placeholders. */
export interface StoredTemplate {
  _id: string;
  organizationId: string;
  /** The creator. */
  userId: string;
  name: string;
  template: string;
  type: TemplateType;
  category: string;
  /** Who wrote its text, or shared it since with a lower role, and with which role. Absent in templates of earlier versions: their creator. */
  writtenBy?: { userId: string; role: Role };
  /** Whether the whole organization may use it, or only its creator. */
  isShared: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Who answers for the text of a template. */
export const templateWriter = ({ userId, writtenBy = { userId, role: 'SALES_REP' } }: StoredTemplate) =>
  writtenBy;

/** Templates of the organization, or of one user. */
export type TemplateVisibility = readonly ['shared'] | readonly ['user', string];

/** Who may use the template: its owner alone, or everybody. */
export function templateVisibility({
  userId,
  isShared,
}: Pick<StoredTemplate, 'userId' | 'isShared'>): TemplateVisibility {
  return isShared ? ['shared'] : ['user', userId];
}

/** The templates that the caller may use, sorted by name. Source: decisions 10, "Templates". */
export async function findTemplates(table: TableReader, { userId }: Caller): Promise<StoredTemplate[]> {
  const lists = await Promise.all([
    table.list(templateRange(['shared'])),
    table.list(templateRange(['user', userId])),
  ]);
  const byName = new Intl.Collator('en', { numeric: true }).compare;
  return lists
    .flatMap((records) => records.map(({ data }) => data))
    .sort((a, b) => byName(a.name, b.name) || (a._id < b._id ? -1 : 1));
}

/** The template with this id, if the user may use it. */
export async function findUsableTemplate(
  table: TableReader,
  { userId }: Pick<Caller, 'userId'>,
  id: string,
): Promise<Stored<StoredTemplate> | undefined> {
  const found = await table.readMany([templateKey(['shared'], id), templateKey(['user', userId], id)]);
  return found.find((record) => record !== undefined);
}

/** Those of these templates that the user may use, by id. */
export async function findUsableTemplates(
  table: TableReader,
  { userId }: Pick<Caller, 'userId'>,
  ids: readonly string[],
  options: Pick<QueryOptions, 'consistent'> = {},
): Promise<ReadonlyMap<string, StoredTemplate>> {
  const keys = ids.flatMap((id) => [templateKey(['shared'], id), templateKey(['user', userId], id)]);
  const found = keys.length === 0 ? [] : await readAll(table, keys, options);
  return new Map(found.flatMap((record) => (record === undefined ? [] : [[record.data._id, record.data]])));
}

/** A template that the caller may use. @throws a 404 `Failure` otherwise. */
export async function findTemplate(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<Stored<StoredTemplate>> {
  const stored = await findUsableTemplate(table, caller, id);
  if (stored === undefined) {
    throw notFound('Template');
  }
  return stored;
}

/** A template that the caller may change: their own, or any of the organization's for an ADMIN. */
export async function findChangeableTemplate(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<Stored<StoredTemplate>> {
  const stored = await findTemplate(table, caller, id);
  if (stored.data.userId !== caller.userId && !reaches(caller.role, 'ADMIN')) {
    throw new Failure('FORBIDDEN', 'Only the creator of a template or an ADMIN may change it.');
  }
  return stored;
}

export const templateKey = (visibility: TemplateVisibility, id: string): Key<StoredTemplate> => ({
  partition: ['TEMPLATES', ...visibility],
  sort: ['TEMPLATE', id],
});

const templateRange = (visibility: TemplateVisibility): Range<StoredTemplate> => ({
  partition: ['TEMPLATES', ...visibility],
  under: ['TEMPLATE'],
});

/** How many bytes all templates with this visibility take, as the native attribute `n`. */
export const templateBytesKey = (visibility: TemplateVisibility): Key<never> => ({
  partition: ['TEMPLATES', ...visibility],
  sort: ['WEIGHT'],
});
