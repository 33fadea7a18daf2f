import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../kernel/schemas/fields.ts';

/** Source: decisions 10, "Application". */
export const ApplicationResponse = described(
  z.object({
    _id: anyString,
    organizationId: anyString,
    contactId: anyString,
    userId: anyString,
    name: anyString,
    pipelineId: anyString,
    stageId: anyString,
    stage: anyString,
    customFields: z.record(anyString, z.unknown()),
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the application.',
    organizationId: 'The organization it belongs to.',
    contactId: 'The contact who applies.',
    userId: 'The user who created it.',
    name: 'What the contact applies for.',
    pipelineId: 'The application pipeline it passes through.',
    stageId: 'The stage it is in.',
    stage: 'The name of that stage.',
    customFields: 'Any JSON values by name.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Application', description: 'What a contact applies for, in a stage of an application pipeline.' },
);
