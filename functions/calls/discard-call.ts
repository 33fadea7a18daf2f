import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString } from '../../shared/kernel/schemas/fields.ts';
import { type Discarded, discard } from './model/discard.ts';

const messages: Record<Discarded, string> = {
  nothing: 'The call was already discarded',
  call: 'Call discarded',
  conversation: 'Call and its voice conversation discarded',
  contact: 'Call and its contact discarded',
};

export default operation({
  route: 'POST /api/calls/{callId}/discard',
  summary: 'Discard a call',
  description: [
    'Deletes the call, and its voice conversation unless that has messages or another call. A text that is scheduled for the caller of a missed call is cancelled; one that was sent stays. Notifications about them are deleted too. Discarding a call again changes nothing.',
    'With `deleteContact` and `contactId`, the contact is deleted too, and `contact_removed` is emitted. This happens only if it is the contact of this call, is in your scope, still has the name that the call gave it, has no email, custom fields, tags or other number, and has nothing else attached. Otherwise the contact stays, and the response is the same 200.',
  ].join('\n\n'),
  family: 'calls',
  minimumRole: 'SALES_REP',
  body: z.object({ contactId: z.optional(anyString), deleteContact: z.optional(anyBoolean) }),
  descriptions: {
    contactId: 'The contact to delete; it must be the contact of the call.',
    deleteContact: 'Whether to delete the contact; false by default.',
  },
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: {
    path: { callId: demo.placeholderCall },
    body: { contactId: demo.placeholderContact, deleteContact: true },
  },
  uses: { table: 'write', platform: 'write' },
  async run({ path, body }, { table, platform, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const discarded = await discard({ table, platform }, caller, path.callId, body, {
        eventId,
        now,
        newId,
      });
      return ok({ message: messages[discarded] });
    });
  },
});
