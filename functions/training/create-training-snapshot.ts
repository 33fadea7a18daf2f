import * as z from 'zod/mini';
import { touchContact } from '../../shared/contact-aggregate/touch-contact.ts';
import { findChild } from '../../shared/contacts/find-child.ts';
import { buildSnapshotResponse } from '../../shared/conversations/build-snapshot-response.ts';
import { conversationKey, messageRange } from '../../shared/conversations/conversation.ts';
import {
  qualities,
  snapshotEntryKey,
  snapshotKey,
  snapshotMessages,
  type TrainingSnapshot,
} from '../../shared/conversations/snapshot.ts';
import { SnapshotResponse } from '../../shared/conversations/snapshot-response.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { differentNames } from '../../shared/kernel/names/same-names.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, labelSchema, nameLimit, nameSchema } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';

/** Messages to read; more never fit. */
const maxMessages = 500;

export default operation({
  route: 'POST /api/training-snapshots',
  summary: 'Create a training snapshot of a conversation',
  description:
    'Keeps the newest messages as they are now, at most 500 messages and 56 KB. Later messages do not change the snapshot.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z.object({
    contactId: Id,
    conversationId: Id,
    quality: z.enum(qualities),
    category: z._default(labelSchema(nameLimit), ''),
    tags: z._default(z.array(nameSchema(50)).check(z.maxLength(50)), []),
  }),
  descriptions: {
    contactId: 'The contact the conversation is with.',
    conversationId: 'The conversation to keep.',
    quality: 'How good an example it is.',
    category: 'What it is an example of.',
    tags: 'Labels to find it by.',
  },
  output: changeResponse(SnapshotResponse),
  failures: ['NOT_FOUND'],
  example: {
    body: {
      contactId: demo.ada,
      conversationId: demo.conversation,
      quality: 'good',
      category: 'Price',
      tags: ['patient'],
    },
  },
  uses: { table: 'write', objects: 'attachments' },
  async run({ body }, { table, objects, caller, now, newId }) {
    const { contactId, conversationId } = body;
    const [{ contact }, messages] = await Promise.all([
      findChild(table, caller, conversationKey(conversationId), 'Conversation'),
      table.list(messageRange(conversationId), { descending: true, limit: maxMessages }),
    ]);
    if (contact?.data._id !== contactId) {
      throw notFound('Conversation');
    }
    const snapshot: TrainingSnapshot = {
      _id: childId(contactId, newId()),
      contactId,
      conversationId,
      createdBy: caller.userId,
      quality: body.quality,
      category: body.category,
      tags: differentNames(body.tags),
      messages: snapshotMessages(messages.map(({ data }) => data)),
      createdAt: timestamp(now),
    };
    await table.commit([
      table.add(snapshotKey(snapshot._id), snapshot),
      table.put(snapshotEntryKey(caller.userId, snapshot._id), {}),
      touchContact(table, contactId),
    ]);
    const data = await buildSnapshotResponse(snapshot, objects);
    return ok({ message: 'Snapshot created', data });
  },
});
