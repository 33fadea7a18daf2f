import type { StoredContact } from '../../shared/contacts/contact.ts';
import type { Person } from '../harness/product.ts';
import { type Dataset, stageAt } from './dataset.ts';

/** A query, and which contacts it matches: a second implementation of the contract. */
export interface SearchCase {
  readonly name: string;
  readonly body: Record<string, unknown>;
  /** Who searches; the ADMIN if absent. */
  readonly person?: Person;
  matches(contact: StoredContact): boolean;
  /** The stages in the response, in order; all of the pipeline if absent. */
  readonly stages?: readonly string[];
  /** The page of every column, from 1. */
  readonly page?: number;
  /** Searches for a substring in the whole organization: the budget applies. */
  readonly isFullSearch?: true;
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase();
const day = 86_400_000;

/** Search and every further filter of the board. */
export function searchCases(dataset: Dataset, now: Date): SearchCase[] {
  const { admin, head, rep, otherRep, pipeline, contacts } = dataset;
  const [third, sixth] = [stageAt(pipeline, 2), stageAt(pipeline, 5)];
  const middle = contacts[Math.floor(contacts.length / 2)];
  const [from, to] = [ago(40), ago(30)];
  const isNamed = ({ firstName, lastName }: StoredContact, text: string) =>
    [`${firstName} ${lastName}`, `${lastName} ${firstName}`].some((name) => folded(name).includes(text));
  const across = folded(`${middle?.firstName.slice(-2)} ${middle?.lastName.slice(0, 2)}`);
  const team = [rep, head].map(({ userId }) => userId);
  const tiedTo = (people: readonly string[]) => (contact: StoredContact) =>
    people.some((id) => [contact.createdBy, contact.owner, ...contact.assignees].includes(id));
  function ago(days: number): string {
    return new Date(now.getTime() - days * day).toISOString();
  }
  const isWithin = (at: string | null) => at !== null && at >= from && at <= to;
  const field = (contact: StoredContact, key: string): unknown[] => [contact.customFields[key]].flat();

  return [
    { name: 'no filter', body: {}, matches: () => true },
    {
      name: 'search: substring of a name',
      body: { search: 'AR' },
      matches: (contact) => isNamed(contact, 'ar'),
      isFullSearch: true,
    },
    {
      name: 'search: across first and last name',
      body: { search: across },
      matches: (contact) => isNamed(contact, across),
      isFullSearch: true,
    },
    {
      name: 'search: digits of a phone number',
      body: { search: '(99) 12-3' },
      matches: ({ phoneNumbers }) => phoneNumbers.some(({ value }) => value.includes('99123')),
      isFullSearch: true,
    },
    { name: 'ownerFilter: my', body: { ownerFilter: 'my' }, matches: tiedTo([admin.userId]) },
    {
      name: 'ownerFilter: team, as a rep',
      body: { ownerFilter: 'team' },
      person: rep,
      matches: tiedTo([rep.userId]),
    },
    { name: 'no filter, as a department head', body: {}, person: head, matches: tiedTo(team) },
    {
      name: 'ownerFilter: unassigned',
      body: { ownerFilter: 'unassigned' },
      matches: ({ owner, assignees }) => owner === null && assignees.length === 0,
    },
    {
      name: 'ownerFilter: a user',
      body: { ownerFilter: otherRep.userId },
      matches: tiedTo([otherRep.userId]),
    },
    {
      name: 'owner: two users',
      body: { owner: [rep.userId, otherRep.userId], ownerFilter: 'my' },
      matches: tiedTo([rep.userId, otherRep.userId]),
    },
    {
      name: 'assignee',
      body: { assignee: [rep.userId] },
      matches: ({ conversationAssignees }) => conversationAssignees.includes(rep.userId),
    },
    {
      name: 'source, page 2',
      body: { source: 'Referral', page: Object.fromEntries(pipeline.stages.map(({ name }) => [name, 2])) },
      matches: ({ source }) => source === 'Referral',
      page: 2,
    },
    { name: 'status', body: { status: third._id }, matches: () => true, stages: [third._id] },
    {
      name: 'stages, stageIdByName',
      body: { stages: ['Sixth', third.name], stageIdByName: { Sixth: sixth._id, [third.name]: 'elsewhere' } },
      matches: () => true,
      stages: [sixth._id, third._id],
    },
    {
      name: 'createdDateRange',
      body: { createdDateRange: { start: from, end: to }, dateRange: { end: ago(80) } },
      matches: ({ createdAt }) => isWithin(createdAt),
    },
    {
      name: 'dateRange',
      body: { dateRange: { start: from, end: to } },
      matches: ({ createdAt }) => isWithin(createdAt),
    },
    {
      name: 'customFilters: regular expression',
      body: { customFilters: { city: '^(b|m).*[nr]$' } },
      matches: (contact) => field(contact, 'city').some((city) => /^(b|m).*[nr]$/i.test(String(city))),
    },
    {
      name: 'customFilters: number, boolean, list',
      body: {
        customFilters: { budget: [250, 500, 5_000], newsletter: true, interests: ['^tea$', '^coffee$'] },
      },
      matches: (contact) =>
        field(contact, 'budget').some((budget) => [250, 500, 5_000].includes(Number(budget))) &&
        field(contact, 'newsletter').includes(true) &&
        field(contact, 'interests').some((interest) => interest === 'tea' || interest === 'coffee'),
    },
    { name: 'bulkOnly', body: { bulkOnly: true }, matches: ({ isBulkImport }) => isBulkImport },
    ...(['answered', 'unanswered'] as const).map((messageStatus) => ({
      name: `messageStatus: ${messageStatus}`,
      body: { messageStatus },
      matches: ({ lastMessageDirection }: StoredContact) =>
        lastMessageDirection === (messageStatus === 'answered' ? 'outbound' : 'inbound'),
    })),
    {
      name: 'lastMessageTimeRange',
      body: { lastMessageTimeRange: { value: 20, unit: 'days' } },
      matches: ({ lastMessageAt }) => lastMessageAt === null || lastMessageAt < ago(20),
    },
    {
      name: 'lastMessageDateRange',
      body: { lastMessageDateRange: { start: from, end: to } },
      matches: ({ lastMessageAt }) => isWithin(lastMessageAt),
    },
  ];
}
