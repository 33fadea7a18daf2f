import * as z from 'zod/mini';
import * as demo from '../../shared/demo-ids.ts';
import { messageResponse, ok } from '../../shared/kernel/envelope.ts';
import { anyText, yesOrNo } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { type Discarded, discard } from './model/discard.ts';

const messages: Record<Discarded, string> = {
  nothing: 'The call was discarded already',
  call: 'Call discarded',
  conversation: 'Call discarded, and its voice conversation with it',
  contact: 'Call discarded, and its contact with it',
};

export default operation({
  route: 'POST /api/calls/{callId}/discard',
  summary: 'Discard a call',
  description:
    'Deletes the call, and its voice conversation unless that has messages or another call. Discarding it again changes nothing. With deleteContact and contactId the contact goes too, its phone number is free at once and `contact_removed` is emitted; but only when it is the contact of this call, in the scope of the caller, still named as the call named it, without e-mail, custom fields, tags or another number, and with nothing else attached. Otherwise the contact stays, and the answer is the same 200.',
  family: 'calls',
  minimumRole: 'SALES_REP',
  body: z.object({ contactId: z.optional(anyText), deleteContact: z.optional(yesOrNo) }),
  descriptions: {
    contactId: 'The contact to delete: that of the call.',
    deleteContact: 'Whether to delete the contact; false when absent.',
  },
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: {
    path: { callId: demo.placeholderCall },
    body: { contactId: demo.placeholderContact, deleteContact: true },
  },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const discarded = await discard(table, caller, path.callId, body, { eventId, now });
      return ok({ message: messages[discarded] });
    });
  },
});
