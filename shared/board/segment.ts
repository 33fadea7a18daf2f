import type { Caller } from '../kernel/caller.ts';
import { reaches } from '../kernel/caller.ts';
import { Failure, notFound } from '../kernel/failure.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { Stored, TableReader } from '../table/table.ts';
import type { BoardQuery } from './board-query.ts';

/** The request for a board without its pages. */
export type SegmentFilter = Omit<BoardQuery, 'page' | 'size'>;

/** A filter that somebody has kept. Source: contacts-at-work 2. */
export interface Segment {
  _id: string;
  name: string;
  filter: SegmentFilter;
  /** Whether the whole organization may use it, or only its creator. */
  isShared: boolean;
  /** A user id. */
  createdBy: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Whether a user may use the segment. */
export const isVisible = ({ isShared, createdBy }: Segment, { userId }: Pick<Caller, 'userId'>): boolean =>
  isShared || createdBy === userId;

/** A segment that the caller may use. @throws a 404 `Failure` otherwise. */
export async function findSegment(table: TableReader, caller: Caller, id: string): Promise<Stored<Segment>> {
  const stored = await table.read(segmentKey(id));
  if (stored === undefined || !isVisible(stored.data, caller)) {
    throw notFound('Segment');
  }
  return stored;
}

/** A segment that the caller may change: their own, or for an ADMIN any that is shared. */
export async function findChangeableSegment(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<Stored<Segment>> {
  const stored = await findSegment(table, caller, id);
  if (stored.data.createdBy !== caller.userId && !reaches(caller.role, 'ADMIN')) {
    throw new Failure('FORBIDDEN', 'Only the creator of a segment or an ADMIN may change it.');
  }
  return stored;
}

export const segmentKey = (id: string): Key<Segment> => ({ partition: ['SEGMENTS'], sort: ['SEGMENT', id] });

export const segmentRange = (): Range<Segment> => ({ partition: ['SEGMENTS'], under: ['SEGMENT'] });

/** How many segments there are, as the native attribute `used`. */
export const segmentCountKey = (): Key<never> => ({ partition: ['SEGMENTS'], sort: ['COUNT'] });
