import type { ContactRecord, Touch } from './client.ts';

/** A contact as the test arranged it. */
export interface ModelContact extends ContactRecord {
  conversationAssignees: string[];
}

export interface ModelQuery {
  search?: string;
  ownerFilter?: string;
  owner?: string[];
  assignee?: string[];
  source?: string;
  status?: string;
  stages?: string[];
  customFilters?: Record<string, string | number | boolean | (string | number | boolean)[]>;
  createdDateRange?: { start?: string; end?: string };
  dateRange?: { start?: string; end?: string };
  bulkOnly?: boolean;
  messageStatus?: 'all' | 'answered' | 'unanswered';
  lastMessageTimeRange?: { value: number; unit: 'hours' | 'days' };
  lastMessageDateRange?: { start?: string; end?: string };
}

/** The caller: `scope` are the users whose contacts the caller may see, `team` the users of the same departments. */
export interface Viewer {
  userId: string;
  scope: readonly string[] | 'organization';
  team: readonly string[];
}

export const toModel = (record: ContactRecord, touched: Touch = {}): ModelContact => ({
  conversationAssignees: [],
  ...record,
  ...touched,
});

const peopleOf = ({ createdBy, owner, assignees }: ContactRecord) => [createdBy, owner, ...assignees];

const isTiedTo = (contact: ContactRecord, users: readonly string[]) =>
  peopleOf(contact).some((userId) => userId !== null && users.includes(userId));

function isWanted(
  contact: ModelContact,
  { ownerFilter = 'all', owner = [] }: ModelQuery,
  viewer: Viewer,
): boolean {
  if (owner.length > 0) {
    return isTiedTo(contact, owner);
  }
  switch (ownerFilter) {
    case 'all':
      return true;
    case 'my':
      return isTiedTo(contact, [viewer.userId]);
    case 'team':
      return isTiedTo(contact, viewer.team);
    case 'unassigned':
      return contact.owner === null && contact.assignees.length === 0;
    default:
      return isTiedTo(contact, [ownerFilter]);
  }
}

/** Dates of this model are whole days as the end, moments otherwise. */
const endOf = (end: string) => Date.parse(end.length === 10 ? `${end}T23:59:59.999Z` : end);

function isWithin(at: string | null, { start, end }: { start?: string; end?: string }): boolean {
  return (
    (start === undefined || (at !== null && Date.parse(at) >= Date.parse(start))) &&
    (end === undefined || (at !== null && Date.parse(at) <= endOf(end)))
  );
}

function isFound({ firstName, lastName, phoneNumbers }: ContactRecord, search: string): boolean {
  const wanted = search.toLowerCase();
  const isNumber = /^[\d ()+-]+$/.test(wanted);
  return (
    [`${firstName} ${lastName}`, `${lastName} ${firstName}`].some((name) =>
      name.toLowerCase().includes(wanted),
    ) ||
    phoneNumbers.some(
      ({ value }) => value.includes(wanted) || (isNumber && value.includes(wanted.replace(/\D/g, ''))),
    )
  );
}

function hasField({ customFields }: ContactRecord, key: string, wanted: unknown): boolean {
  return [wanted].flat().some((one) => {
    const value = Object.hasOwn(customFields, key) ? customFields[key] : undefined;
    return (
      value !== undefined &&
      (typeof one === 'string' ? new RegExp(one, 'i').test(String(value)) : one === value)
    );
  });
}

/** The whole board by stage name, decided contact by contact from the contract's words alone. */
export function modelBoard(
  contacts: readonly ModelContact[],
  stages: readonly string[],
  query: ModelQuery,
  viewer: Viewer,
  now: Date,
): Map<string, string[]> {
  const created = query.createdDateRange ?? query.dateRange ?? {};
  const direction = { all: undefined, answered: 'outbound', unanswered: 'inbound' }[
    query.messageStatus ?? 'all'
  ];
  const silence = query.lastMessageTimeRange;
  const since =
    silence && now.getTime() - silence.value * (silence.unit === 'days' ? 24 : 1) * 60 * 60 * 1_000;
  const shown = contacts
    .filter((contact) => viewer.scope === 'organization' || isTiedTo(contact, viewer.scope))
    .filter((contact) => isWanted(contact, query, viewer))
    .filter((contact) => query.search === undefined || isFound(contact, query.search))
    .filter(
      (contact) => query.source === undefined || contact.source?.toLowerCase() === query.source.toLowerCase(),
    )
    .filter(
      (contact) => !query.assignee || query.assignee.some((id) => contact.conversationAssignees.includes(id)),
    )
    .filter((contact) =>
      Object.entries(query.customFilters ?? {}).every(([key, wanted]) => hasField(contact, key, wanted)),
    )
    .filter((contact) => isWithin(contact.createdAt, created))
    .filter((contact) => !query.bulkOnly || contact.isBulkImport)
    .filter((contact) => direction === undefined || contact.lastMessageDirection === direction)
    .filter(
      (contact) =>
        since === undefined || contact.lastMessageAt === null || Date.parse(contact.lastMessageAt) < since,
    )
    .filter((contact) => isWithin(contact.lastMessageAt, query.lastMessageDateRange ?? {}))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a._id < b._id ? 1 : -1));
  const columns = (query.stages ?? stages).filter(
    (name) => query.status === undefined || name === query.status,
  );
  return new Map(
    columns.map((name) => [name, shown.filter(({ stage }) => stage === name).map(({ _id }) => _id)]),
  );
}
