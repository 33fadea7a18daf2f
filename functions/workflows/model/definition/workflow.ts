import type { Caller } from '../../../../shared/kernel/caller.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';
import type { PersonalView } from '../../../../shared/organizations/views.ts';
import type { Key, Range } from '../../../../shared/table/key.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import type { Confirmed } from './plan.ts';
import type { Topic } from './topics.ts';

/** Where a workflow's document is stored. */
export interface DocumentLocation {
  /** Identifies one write of the document: a row or an object with another revision belongs to another header. */
  readonly revision: string;
  readonly store: 'table' | 'objects';
  /** How many bytes it takes in a response. */
  readonly weight: number;
}

/** The part of a workflow that lists filter by and toggles change, without the graph. Source: specification, "Workflow". */
export interface WorkflowHeader {
  _id: string;
  organizationId: string;
  /** The owner. */
  userId: string;
  name: string;
  description: string;
  enabled: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  document: DocumentLocation;
  /** None until it is first enabled. */
  plan?: PlanState;
  /** The rights that the owner had when somebody who cannot vouch for more confirmed it last; absent if the owner or an ADMIN did. */
  most?: Reach;
}

/** The revision that runs start on, and what edits and requests have decided about runs. */
export interface PlanState {
  /** Numbers the last plan; the first one has 1. */
  readonly revision: number;
  /** Identifies the content of the last plan; it is empty once its runs were ended. */
  readonly digest: string;
  readonly place: DocumentLocation;
  /** Confirmed for the last plan; its `most` is the header's. */
  readonly confirmed?: Omit<Confirmed, 'most'>;
  /** The topics with triggers of this workflow; none while it is disabled. */
  readonly topics: readonly Topic[];
  /** The topics that runs of any revision may wait for. */
  readonly awaits: readonly Topic[];
  /** The revisions that runs of earlier ones move to, the latest last. */
  readonly movesTo: readonly number[];
  /** The last revision whose runs were ended together. */
  readonly ended?: { readonly lastEnded: number; readonly reason: EndOfRuns };
}

/** The reason that ended all runs of a workflow up to a revision. */
export type EndOfRuns = 'workflow_disabled' | 'workflow_deleted';

/** The data beside the document's bytes in its row. */
export type DocumentRow = Pick<DocumentLocation, 'revision'>;

/** The header's fields in a request. */
export interface HeaderFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export function newHeader(
  id: string,
  { userId, organizationId }: Pick<Caller, 'userId' | 'organizationId'>,
  { name, description = '', enabled = false }: HeaderFields & { name: string },
  document: DocumentLocation,
  at: Timestamp,
): WorkflowHeader {
  return {
    _id: id,
    organizationId,
    userId,
    name,
    description,
    enabled,
    createdAt: at,
    updatedAt: at,
    document,
  };
}

/** The header with its changed fields, and perhaps another document. */
export function editedHeader(
  header: WorkflowHeader,
  { name, description, enabled }: HeaderFields,
  at: Timestamp,
  document: DocumentLocation = header.document,
): WorkflowHeader {
  return { ...header, ...definedOnly({ name, description, enabled }), document, updatedAt: at };
}

/** The header after an edit changed its plan to this state, and held it to these rights. */
export function withPlan(
  { most: _, ...header }: WorkflowHeader,
  { state: plan, most }: { readonly state: PlanState | undefined; readonly most: Reach | undefined },
): WorkflowHeader {
  return { ...header, ...definedOnly({ plan, most }) };
}

/** The fields of a header that responses have. */
export type ShownHeader = Omit<WorkflowHeader, 'document' | 'plan' | 'most'>;

export const shownHeader = ({ document: _, plan: __, most: ___, ...shown }: WorkflowHeader): ShownHeader =>
  shown;

/** The names of the fields that differ from the header. */
export function changedFields(
  header: WorkflowHeader,
  { name, description, enabled }: HeaderFields,
): string[] {
  const fields: HeaderFields = definedOnly({ name, description, enabled });
  return (Object.keys(fields) as (keyof HeaderFields)[]).filter((field) => fields[field] !== header[field]);
}

/** A workflow in the list of all, which holds the record itself, or in its owner's list. */
export const workflowKey = (id: string, view: PersonalView = ['all']): Key<WorkflowHeader> => ({
  partition: ['WORKFLOWS', ...view],
  sort: [id],
});

export const workflowRange = (view: PersonalView): Range<WorkflowHeader> => ({
  partition: ['WORKFLOWS', ...view],
});

/** Stored apart, because it may be a thousand times as large as a header. */
export const workflowDocumentKey = (id: string): Key<DocumentRow> => ({
  partition: ['WORKFLOW', id],
  sort: ['DOCUMENT'],
});

/** Locks a name, which is unique within the organization. */
export const workflowNameKey = (digest: string): Key<{ workflowId: string }> => ({
  partition: ['WORKFLOWS', 'NAMES'],
  sort: [digest],
});
