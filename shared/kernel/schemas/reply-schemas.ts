import * as z from 'zod/mini';
import { described } from './descriptions.ts';
import { anyString, dateTime } from './fields.ts';

/**
 * The data of each frame in reply to a frame, for the documentation and for the types of its senders. Functions import only the
 * types. Source: decisions 11.
 */
export const replySchemas = {
  pong: described(z.object({}), {}, { description: 'The reply to `ping`.' }),
  authenticated: described(
    z.object({ expiresAt: dateTime }),
    { expiresAt: 'When the connection now expires.' },
    { description: 'The reply to `authenticate`: the connection was extended.' },
  ),
  resumed: described(
    z.object({ since: anyString }),
    { since: 'The id that the client named.' },
    { description: 'The reply to `resume`: all missed events have been sent.' },
  ),
  resync_required: described(
    z.object({ message: anyString }),
    { message: 'Why, and what to do.' },
    {
      description:
        'The reply to `resume` when the missed events cannot be sent; also sent in place of events when more happened in the organization than could be delivered in time. Reload everything, and continue with the next event.',
    },
  ),
  error: described(
    z.object({ message: anyString }),
    { message: 'What is wrong, and what to do.' },
    { description: 'The reply to any frame that was refused.' },
  ),
};

type ReplyData = { readonly [Name in keyof typeof replySchemas]: z.input<(typeof replySchemas)[Name]> };

export type ReplyName = keyof ReplyData;

/** A frame in reply to a frame, without `id` and `at`. */
export type Reply<Name extends ReplyName = ReplyName> = {
  [N in Name]: { readonly event: N; readonly data: ReplyData[N] };
}[Name];
