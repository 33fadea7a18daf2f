import { createHmac, timingSafeEqual } from 'node:crypto';
import { day } from '../time.ts';

/** How long a refresh token is valid. Source: decisions 3, "Refresh token". */
export const refreshTokenLife = 30 * day;

/** The content of a refresh token: its session (a family of tokens), its generation, from 1, and its owner. */
export interface RefreshPosition {
  readonly familyId: string;
  readonly generation: number;
  readonly userId: string;
  readonly organizationId: string;
}

const form =
  /^([A-Za-z0-9]{1,64})\.([1-9][0-9]{0,8})\.([A-Za-z0-9_-]{1,128})\.([A-Za-z0-9_-]{1,128})\.[A-Za-z0-9_-]{43}$/;

/** A token whose HMAC-SHA-256 proves it, so that it needs no storage. `key` is in base64url. */
export function sealed(
  { familyId, generation, userId, organizationId }: RefreshPosition,
  key: string,
): string {
  const position = [familyId, generation, userId, organizationId].join('.');
  return `${position}.${createHmac('sha256', Buffer.from(key, 'base64url')).update(position).digest('base64url')}`;
}

/** The position in a token made with one of these keys; undefined for any other text. */
export function unsealed(token: string, keys: readonly string[]): RefreshPosition | undefined {
  const [, familyId, generation, userId, organizationId] = form.exec(token) ?? [];
  if (
    familyId === undefined ||
    generation === undefined ||
    userId === undefined ||
    organizationId === undefined
  ) {
    return undefined;
  }
  const position = { familyId, generation: Number(generation), userId, organizationId };
  // Compares texts: base64url can spell the same bytes in several ways, and only the spelling issued is a token.
  const isGenuine = keys.some((key) =>
    timingSafeEqual(Buffer.from(sealed(position, key)), Buffer.from(token)),
  );
  return isGenuine ? position : undefined;
}
