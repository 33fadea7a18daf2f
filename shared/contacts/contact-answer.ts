import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

const textOrNull = z.nullable(anyText);
const texts = z.array(anyText);

/** The schema of a contact as answered. Source: specification, "Contact"; decisions 6, "Record". */
export const ContactAnswer = z
  .object({
    _id: anyText,
    organizationId: anyText,
    firstName: anyText,
    lastName: anyText,
    fullName: anyText,
    email: textOrNull,
    phoneNumbers: z.array(z.object({ value: anyText, label: anyText, isPrimary: yesOrNo })),
    source: textOrNull,
    pipelineId: anyText,
    stageId: anyText,
    stage: anyText,
    createdBy: anyText,
    owner: textOrNull,
    assignees: texts,
    customFields: z.record(anyText, z.unknown()),
    tags: texts,
    isBulkImport: yesOrNo,
    lastMessageAt: textOrNull,
    lastMessageDirection: z.nullable(z.enum(['inbound', 'outbound'])),
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(
    z.meta({
      id: 'Contact',
      description:
        'Times are ISO 8601 in UTC. `stage` is the name of the stage; `createdBy`, `owner` and `assignees` are ids of users.',
    }),
  );
