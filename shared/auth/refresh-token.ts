import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a refresh token stands for: its session (a family of tokens), its generation in it, from 1, and its owner. */
export interface RefreshPosition {
  readonly familyId: string;
  readonly generation: number;
  readonly userId: string;
  readonly organizationId: string;
}

const form =
  /^([A-Za-z0-9]{1,64})\.([1-9][0-9]{0,8})\.([A-Za-z0-9_-]{1,128})\.([A-Za-z0-9_-]{1,128})\.[A-Za-z0-9_-]{43}$/;

/** The token of a position: recognisable by its HMAC-SHA-256 alone, without being stored. `key` is in base64url. */
export function sealed(
  { familyId, generation, userId, organizationId }: RefreshPosition,
  key: string,
): string {
  const position = [familyId, generation, userId, organizationId].join('.');
  return `${position}.${createHmac('sha256', Buffer.from(key, 'base64url')).update(position).digest('base64url')}`;
}

/** The position in a token that was sealed with this key; undefined for any other text. */
export function unsealed(token: string, key: string): RefreshPosition | undefined {
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
  // Compared as text: base64url has several spellings of the same bytes, and only the one that was issued is a token.
  return timingSafeEqual(Buffer.from(sealed(position, key)), Buffer.from(token)) ? position : undefined;
}
