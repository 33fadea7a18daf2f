import * as z from 'zod/mini';
import { Id, Name, yesOrNo } from '../../../shared/kernel/fields.ts';
import { isWebhookSecret } from './standard-webhooks.ts';

const secretForms = 'must be true, or whsec_ and 24 to 64 bytes in base64';

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
  createApplication: yesOrNo,
  isActive: yesOrNo,
  secret: z.nullable(Secret),
};

/** The changes of a configuration in a request; an absent key keeps its value. */
export const ConfigurationChanges = z.partial(z.object(ConfigurationFields));
export type ConfigurationChanges = z.output<typeof ConfigurationChanges>;

export const configurationDescriptions = {
  name: 'The name of the configuration.',
  source: 'Of the contacts that the leads make.',
  pipelineId: 'A Contact pipeline. Without `stageId` contacts enter its first stage.',
  stageId:
    'Where new contacts enter. Without it and `pipelineId`, or once they are gone, the first stage of the active Contact pipeline.',
  ownerId: 'A user of the organization, who gets the new contacts. Null for nobody.',
  createApplication: 'Whether each contact gets an application of this configuration.',
  isActive: 'Leads for an inactive configuration are refused.',
  secret:
    'True for a new secret, or one of your own (Standard Webhooks: `whsec_` and 24 to 64 bytes in base64). With a secret, leads must be signed; null for none.',
};
