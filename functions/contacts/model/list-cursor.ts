import type { TimePlace } from '../../../shared/column-index/ordered-matches.ts';
import { removedContactLifetime } from '../../../shared/contact-aggregate/removed-contacts.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { Scope } from '../../../shared/organizations/visibility.ts';
import { sortInCursor, toCursor } from '../../../shared/table/cursor.ts';
import { toDigest } from '../../../shared/table/digest.ts';

/** The place after which a page of a list begins. */
export interface ListCursor extends TimePlace {
  /** The order of the list; for whoever keeps a copy, what they may see. */
  readonly of: string;
  /** When the reader of a copy last knew all, in milliseconds since 1970. */
  readonly completeAt: number;
}

const form = /^(-?\d{1,15})#([^#]*)#([^#]*)#(\d{1,15})$/;

export function listCursorText({ time, id, of, completeAt }: ListCursor): string {
  return toCursor([time, id, of, completeAt].join('#'));
}

/** @throws a 400 `Failure` for a cursor that no list of contacts returned. */
export function requireListCursor(cursor: string): ListCursor {
  const [, time, id = '', of = '', completeAt] =
    form.exec(sortInCursor(cursor, (text) => form.test(text))) ?? [];
  return { time: Number(time), id, of, completeAt: Number(completeAt) };
}

export const notOfThisList = (): Failure =>
  new Failure('INVALID', 'cursor must be a nextCursor of this list');

const copyOf = 'copy of ';

/** Names a copy of what the scope includes: with another scope, its reader would not learn which contacts went. */
export const copyName = (scope: Scope): string =>
  `${copyOf}${scope.kind === 'organization' ? 'all' : toDigest([...scope.userIds].sort().join()).slice(0, 16)}`;

export const isOfCopy = (cursor: ListCursor | undefined): boolean => cursor?.of.startsWith(copyOf) === true;

/** @throws a 410 `Failure` for a bookmark that cannot be gone on from. */
export function requireKept({ of, completeAt }: ListCursor, now: Date, expected: string): void {
  if (completeAt < now.getTime() - removedContactLifetime) {
    throw resyncRequired('The cursor is more than 30 days old.');
  }
  if (of !== expected) {
    throw resyncRequired('Whose contacts you may see has changed since the cursor.');
  }
}

export const resyncRequired = (reason: string): Failure =>
  new Failure('RESYNC_REQUIRED', `${reason} Read all contacts again, without a cursor.`, {
    details: { code: 'RESYNC_REQUIRED' },
  });
