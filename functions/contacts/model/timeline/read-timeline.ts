import { contactCallRange } from '../../../../shared/calls/call.ts';
import { applicationRange } from '../../../../shared/contact-aggregate/application.ts';
import { findContact } from '../../../../shared/contacts/find-contact.ts';
import { type Holder, owns, partitionsWith } from '../../../../shared/contacts/holdings.ts';
import { timelineChangeRange } from '../../../../shared/contacts/timeline-change.ts';
import { conversationRange, messageRange } from '../../../../shared/conversations/conversation.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { Paging } from '../../../../shared/kernel/schemas/paging.ts';
import { after, timestamp } from '../../../../shared/kernel/time.ts';
import { noteRange } from '../../../../shared/notes/note.ts';
import { reminderRange } from '../../../../shared/notes/reminder.ts';
import { sortInCursor, toCursor } from '../../../../shared/table/cursor.ts';
import { joined, type Range } from '../../../../shared/table/key.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import {
  applicationEntry,
  callEntry,
  changeEntry,
  messageEntry,
  noteEntry,
  reminderEntry,
  type TimelineEntry,
  type TimelineType,
  timelineGroups,
} from './entry.ts';
import { changesKeptFor } from './told-changes.ts';

/** A page of a timeline, newest first. */
interface TimelinePage {
  readonly entries: readonly TimelineEntry[];
  readonly nextCursor: string | null;
}

/** What to read of a timeline. */
interface TimelineQuery extends Paging {
  /** Undefined for all types. */
  readonly types?: readonly TimelineType[] | undefined;
}

/** Changes that one page reads at most if it shows only some types: it may then be short, and others follow. */
const filteredChanges = 500;

const entryId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}[\w-]{0,40}$/;

/** Records of one kind, newest first; all kinds have ids that begin with their time. */
interface Source<Data> {
  readonly type: TimelineType | 'changes';
  readonly range: Range<Data> & { readonly under: readonly string[] };
  entry(data: Data): TimelineEntry;
  /** Whether a record is the contact's; all are unless stated. */
  isOwn?(data: Data): boolean;
}

/**
 * One page of what happened to a contact that the caller may see: its changes and its records, read newest first side by side and merged. It
 * takes two round trips, however much there is: messages are found by the conversations that they are in.
 * @throws a 404 `Failure` for a contact that the caller may not see, a 400 one for a cursor of another list.
 */
export async function readTimeline(
  table: TableReader,
  caller: Caller,
  contactId: string,
  { types, limit, cursor }: TimelineQuery,
  now: Date,
): Promise<TimelinePage> {
  const place = cursor === undefined ? undefined : sortInCursor(cursor, (sort) => entryId.test(sort));
  const wanted = wantedTypes(caller, types);
  const has = (type: TimelineType) => wanted === undefined || wanted.has(type);
  const read = <Data>(source: Source<Data>) => readSource(table, source, { wanted, limit, place }, now);
  const readIn = async (holder: Holder, partition: string): Promise<Part[]> => {
    const isOwn = ({ contactId: id }: { readonly contactId: string }) => owns(holder, id);
    const messages = async () => {
      const conversations = has('message') ? await table.list(conversationRange(partition)) : [];
      const ranges = conversations
        .map(({ data }) => data)
        .filter(isOwn)
        .map(({ _id }) => messageRange(_id));
      return Promise.all(
        ranges.map((range) => read({ type: 'message', range: under(range), entry: messageEntry })),
      );
    };
    const range = under(timelineChangeRange(partition));
    const parts = await Promise.all([
      // What happened to a contact went with it.
      owns(holder, partition) ? read({ type: 'changes', range, entry: changeEntry }) : nothing,
      read({ type: 'note', range: under(noteRange(partition)), entry: noteEntry, isOwn }),
      read({ type: 'call', range: under(contactCallRange(partition)), entry: callEntry, isOwn }),
      read({
        type: 'application',
        range: under(applicationRange(partition)),
        entry: applicationEntry,
        isOwn,
      }),
      read({ type: 'reminder', range: under(reminderRange(partition)), entry: reminderEntry, isOwn }),
      messages(),
    ]);
    return parts.flat();
  };
  const [parts, { data: contact }] = await Promise.all([
    readIn({ _id: contactId }, contactId),
    findContact(table, caller, contactId),
  ]);
  if (contact.holdings === undefined) {
    return merged(parts, limit);
  }
  const all = await Promise.all(partitionsWith(contact).map((partition) => readIn(contact, partition)));
  return merged(all.flat(), limit);
}

/** The types that the caller gets; undefined for all. An API key gets those of its groups. */
function wantedTypes(
  { key }: Caller,
  types: readonly TimelineType[] | undefined,
): ReadonlySet<TimelineType> | undefined {
  const { groups } = key ?? {};
  if (groups === undefined) {
    return types && new Set(types);
  }
  const asked = types ?? (Object.keys(timelineGroups) as TimelineType[]);
  return new Set(asked.filter((type) => groups.includes(timelineGroups[type])));
}

/** A part of the timeline. */
interface Part {
  readonly entries: readonly TimelineEntry[];
  /** The last id that was read, if there is more after it. */
  readonly end: string | undefined;
}

const nothing: Part = { entries: [], end: undefined };

async function readSource<Data>(
  table: TableReader,
  { type, range, entry, isOwn = () => true }: Source<Data>,
  {
    wanted,
    limit,
    place,
  }: { wanted: ReadonlySet<TimelineType> | undefined; limit: number; place: string | undefined },
  now: Date,
): Promise<Part> {
  if (wanted !== undefined && type !== 'changes' && !wanted.has(type)) {
    return nothing;
  }
  const { records, nextCursor } = await table.page(range, {
    limit: type === 'changes' && wanted !== undefined ? filteredChanges : limit,
    descending: true,
    // Who has just written something looks for it here.
    consistent: true,
    cursor: place === undefined ? undefined : toCursor(joined([...range.under, place])),
  });
  const read = records.map(({ data }) => data);
  const all = read.filter(isOwn).map(entry);
  const last = read.at(-1);
  // The table deletes what has expired within days, not at once.
  const oldest = type === 'changes' ? timestamp(after(now, -changesKeptFor)) : '';
  const kept = all.filter(({ at }) => at >= oldest);
  return {
    entries: kept.filter((one) => wanted === undefined || wanted.has(one.type)),
    end: nextCursor === null || kept.length < all.length ? undefined : last && entry(last)._id,
  };
}

/** The newest entries of all parts. Beyond the first end of a part, entries of that part may be missing. */
function merged(parts: readonly Part[], limit: number): TimelinePage {
  const [end = ''] = parts
    .flatMap((part) => part.end ?? [])
    .sort()
    .reverse();
  const sorted = parts
    .flatMap(({ entries }) => entries)
    .filter(({ _id }) => _id >= end)
    .sort((one, other) => (one._id < other._id ? 1 : -1));
  const entries = sorted.slice(0, limit);
  const last = sorted.length > limit ? (entries.at(-1)?._id ?? '') : end;
  return {
    // The ids of demo records are older than the records.
    entries: entries.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at)),
    nextCursor: last === '' ? null : toCursor(last),
  };
}

const under = <Data>(range: Range<Data>) => ({ ...range, under: range.under ?? [] });
