import * as z from 'zod/mini';
import { described } from '../../kernel/descriptions.ts';
import { anyText, dateTime } from '../../kernel/fields.ts';

/**
 * What the frames carry that answer a frame, for the documentation and for the types of those who send them. Functions import
 * the types alone. Source: decisions 11.
 */
export const replySchemas = {
  pong: described(z.object({}), {}, { description: 'To `ping`.' }),
  authenticated: described(
    z.object({ expiresAt: dateTime }),
    { expiresAt: 'Until when the connection is trusted now.' },
    { description: 'To `authenticate`: the connection was extended.' },
  ),
  resumed: described(
    z.object({ since: anyText }),
    { since: 'The id that the client named.' },
    { description: 'To `resume`: everything that was missed has been sent.' },
  ),
  resync_required: described(
    z.object({ message: anyText }),
    { message: 'Why, and what to do.' },
    { description: 'To `resume`: what was missed cannot be sent. Load everything anew.' },
  ),
  error: described(
    z.object({ message: anyText }),
    { message: 'What is wrong, and what to do.' },
    { description: 'To any frame that could not be taken.' },
  ),
};

/** What each reply carries. */
type ReplyData = { readonly [Name in keyof typeof replySchemas]: z.input<(typeof replySchemas)[Name]> };

export type ReplyName = keyof ReplyData;

/** A frame that answers a frame, less what all frames have. */
export type Reply<Name extends ReplyName = ReplyName> = {
  [N in Name]: { readonly event: N; readonly data: ReplyData[N] };
}[Name];
