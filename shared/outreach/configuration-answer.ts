import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

const textOrNull = z.nullable(anyText);

const fields = {
  _id: anyText,
  organizationId: anyText,
  userId: anyText,
  name: anyText,
  source: textOrNull,
  pipelineId: textOrNull,
  stageId: textOrNull,
  ownerId: textOrNull,
  createApplication: yesOrNo,
  isActive: yesOrNo,
  hasSecret: yesOrNo,
  createdAt: anyText,
  updatedAt: anyText,
};

export const ConfigurationAnswer = z.object(fields).check(
  z.meta({
    id: 'OutreachConfiguration',
    description: '`userId` is who made it; `hasSecret` tells whether leads must be signed.',
  }),
);

/** With the secret, for whoever has just set it. */
export const ConfigurationWithSecretAnswer = z.object({ ...fields, secret: z.optional(anyText) }).check(
  z.meta({
    id: 'OutreachConfigurationWithSecret',
    description: 'The one answer that has the `secret`: keep it.',
  }),
);
