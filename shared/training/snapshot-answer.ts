import * as z from 'zod/mini';
import { MessageAnswer } from '../conversations/message-answer.ts';
import { anyText } from '../kernel/fields.ts';
import { qualities } from './snapshot.ts';

export const SnapshotAnswer = z
  .object({
    _id: anyText,
    contactId: anyText,
    conversationId: anyText,
    createdBy: anyText,
    quality: z.enum(qualities),
    category: anyText,
    tags: z.array(anyText),
    messages: z.array(MessageAnswer),
    createdAt: anyText,
  })
  .check(z.meta({ id: 'TrainingSnapshot' }));
