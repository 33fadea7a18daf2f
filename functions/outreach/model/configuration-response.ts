import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';
import { secretShown, secretShownMeaning, shownOnce } from '../../../shared/kernel/schemas/shown-once.ts';

const textOrNull = z.nullable(anyString);

const fields = {
  _id: anyString,
  organizationId: anyString,
  userId: anyString,
  name: anyString,
  source: textOrNull,
  pipelineId: textOrNull,
  stageId: textOrNull,
  ownerId: textOrNull,
  createApplication: anyBoolean,
  isActive: anyBoolean,
  hasSecret: anyBoolean,
  createdAt: dateTime,
  updatedAt: dateTime,
};

const descriptions = {
  _id: 'The id of the configuration. Leads name it.',
  organizationId: 'The organization it belongs to.',
  userId: 'The user who created it.',
  name: 'Its name.',
  source: 'The source of the contacts that its leads become; null for none.',
  pipelineId: 'The Contact pipeline new contacts enter; null for the active one.',
  stageId: 'The stage new contacts enter; null for the first one.',
  ownerId: 'The user who owns the new contacts; null for nobody.',
  createApplication: 'Whether an application is created for each contact.',
  isActive: 'Whether leads are accepted.',
  hasSecret: 'Whether leads must be signed.',
  createdAt: 'When it was created.',
  updatedAt: 'When it last changed.',
};

export const ConfigurationResponse = described(z.object(fields), descriptions, {
  id: 'OutreachConfiguration',
  description: 'How leads of one source become contacts.',
});

/** With the secret, right after it was set. */
export const ConfigurationWithSecretResponse = described(
  z.object({ ...fields, secret: shownOnce(anyString), secretShown: secretShown() }),
  {
    ...descriptions,
    secret: 'The secret that leads are signed with. Only this response has it: keep it.',
    secretShown: secretShownMeaning,
  },
  {
    id: 'OutreachConfigurationWithSecret',
    description: 'How leads of one source become contacts, with the secret that was just set.',
  },
);
