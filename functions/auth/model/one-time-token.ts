import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Failure } from '../../../shared/kernel/failure.ts';
import { toDigest } from '../../../shared/table/digest.ts';

/** The subject of a one-time token. Only its digest is stored, with the record that it names. */
export interface OneTimeToken {
  readonly organizationId: string;
  /** The id of the user or of the invitation. */
  readonly subjectId: string;
  readonly digest: string;
}

const form = /^([A-Za-z0-9_-]{1,128})\.([A-Za-z0-9_-]{1,128})\.[A-Za-z0-9_-]{43}$/;

/** A new token with 256 random bits, for a link. */
export function newOneTimeToken(
  organizationId: string,
  subjectId: string,
): OneTimeToken & { readonly text: string } {
  const text = `${organizationId}.${subjectId}.${randomBytes(32).toString('base64url')}`;
  return { organizationId, subjectId, digest: toDigest(text), text };
}

/** Reads a text that may be a token. @throws a 400 `Failure` when it cannot be one. */
export function readOneTimeToken(text: string): OneTimeToken {
  const [, organizationId, subjectId] = form.exec(text) ?? [];
  if (organizationId === undefined || subjectId === undefined) {
    throw invalidToken();
  }
  return { organizationId, subjectId, digest: toDigest(text) };
}

/** Whether this is the stored digest. */
export function isDigest(digest: string, stored: unknown): boolean {
  return (
    typeof stored === 'string' &&
    stored.length === digest.length &&
    timingSafeEqual(Buffer.from(stored), Buffer.from(digest))
  );
}

/** One 400 for every cause, so that it shows nothing about the token. */
export function invalidToken(): Failure {
  return new Failure('INVALID_TOKEN', 'The link is invalid, expired or already used. Ask for a new one.');
}
