import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../kernel/schemas/fields.ts';
import { MessageResponse } from './message-response.ts';
import { qualities } from './snapshot.ts';

export const SnapshotResponse = described(
  z.object({
    _id: anyString,
    contactId: anyString,
    conversationId: anyString,
    createdBy: anyString,
    quality: z.enum(qualities),
    category: anyString,
    tags: z.array(anyString),
    messages: z.array(MessageResponse),
    createdAt: dateTime,
  }),
  {
    _id: 'The id of the snapshot.',
    contactId: 'The contact the conversation was with.',
    conversationId: 'The conversation.',
    createdBy: 'The user who created it.',
    quality: 'How good an example it is.',
    category: 'What it is an example of; may be empty.',
    tags: 'Labels to find it by.',
    messages: 'The latest messages as they were then, oldest first.',
    createdAt: 'When it was created.',
  },
  { id: 'TrainingSnapshot', description: 'A conversation as it was, kept as an example.' },
);
