import * as z from 'zod/mini';
import { anyBoolean, Id, Name } from '../../../shared/kernel/schemas/fields.ts';
import { isWebhookSecret } from './standard-webhooks.ts';

const secretForms = 'must be true, or whsec_ followed by 24 to 64 bytes in base64';

/** `true` creates one. */
const Secret = z.union(
  [z.literal(true), z.string().check(z.refine(isWebhookSecret, secretForms))],
  secretForms,
);

export const ConfigurationFields = {
  name: Name,
  source: z.nullable(Name),
  pipelineId: z.nullable(Id),
  stageId: z.nullable(Id),
  ownerId: z.nullable(Id),
  createApplication: anyBoolean,
  isActive: anyBoolean,
  secret: z.nullable(Secret),
};

/** The changes of a configuration in a request; an absent key keeps its value. */
export const ConfigurationChanges = z.partial(z.object(ConfigurationFields));
export type ConfigurationChanges = z.output<typeof ConfigurationChanges>;

export const configurationDescriptions = {
  name: 'The name of the configuration.',
  source: 'The source of the contacts that its leads become.',
  pipelineId: 'A Contact pipeline. Without `stageId`, contacts enter its first stage.',
  stageId:
    'The stage that new contacts enter. Without it, or once it is deleted, the first stage of `pipelineId`, or else of the active Contact pipeline.',
  ownerId: 'The user of the organization who owns the new contacts; null for nobody.',
  createApplication: 'Whether an application is created for each contact.',
  isActive: 'Leads for an inactive configuration are refused.',
  secret:
    'True to generate a secret, or a secret of your own (Standard Webhooks: `whsec_` and 24 to 64 bytes in base64); null for none. With a secret, leads must be signed.',
};
