import * as z from 'zod/mini';
import { described } from '../../kernel/descriptions.ts';
import { anyText, dateTime } from '../../kernel/fields.ts';

/**
 * The data of each frame in reply to a frame, for the documentation and for the types of its senders. Functions import only the
 * types. Source: decisions 11.
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

type ReplyData = { readonly [Name in keyof typeof replySchemas]: z.input<(typeof replySchemas)[Name]> };

export type ReplyName = keyof ReplyData;

/** A frame in reply to a frame, without `id` and `at`. */
export type Reply<Name extends ReplyName = ReplyName> = {
  [N in Name]: { readonly event: N; readonly data: ReplyData[N] };
}[Name];
