import * as z from 'zod/mini';
import { anyText } from '../kernel/fields.ts';

/** The schema of an application as answered. Source: decisions 10, "Application". */
export const ApplicationAnswer = z
  .object({
    _id: anyText,
    organizationId: anyText,
    contactId: anyText,
    userId: anyText,
    name: anyText,
    pipelineId: anyText,
    stageId: anyText,
    stage: anyText,
    customFields: z.record(anyText, z.unknown()),
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(
    z.meta({
      id: 'Application',
      description: '`userId` is who made it; `stage` is the name of the stage.',
    }),
  );
