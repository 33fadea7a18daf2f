import * as z from 'zod/mini';
import { described } from './descriptions.ts';
import { anyString, orEmpty } from './fields.ts';

/** Records on a page. Source: decisions 1, "Paging of new lists". */
const limits = { least: 1, most: 100, usual: 25 };

/** A number of records in a query string. */
export const limitUpTo = (most: number) =>
  z.pipe(
    orEmpty(
      z.string().check(
        z.refine(
          (text) => /^\d{1,9}$/.test(text) && Number(text) >= limits.least && Number(text) <= most,
          `must be a whole number from ${limits.least} to ${most}`,
        ),
        z.meta({ type: 'integer', minimum: limits.least, maximum: most }),
      ),
    ),
    z.transform(Number),
  );

/** The query parameters of every list; spread them into its `query`. */
export const pageQuery = {
  limit: z._default(limitUpTo(limits.most), limits.usual),
  cursor: z.optional(anyString.check(z.maxLength(2_000))),
};

export const pageDescriptions = {
  limit: 'How many records a page holds.',
  cursor: 'The `nextCursor` of the previous page; without it, the first page is returned.',
} as const;

/** The page that a list is asked for. */
export interface Paging {
  readonly limit: number;
  /** The `nextCursor` of the page before; undefined for the first page. */
  readonly cursor?: string | undefined;
}

/** `true` or `false` in a query string. */
export const QueryFlag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text) => text === 'true'),
);

/** `{success: true, data: […], nextCursor}`. Source: decisions 1, "Envelope". */
export function listResponse<Item extends z.ZodMiniType>(item: Item) {
  return described(
    z.object({ success: z.literal(true), data: z.array(item), nextCursor: z.nullable(anyString) }),
    {
      success: 'Always true.',
      data: 'The records of the page.',
      nextCursor: 'The `cursor` of the next page; null when there is none.',
    },
  );
}
