import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime, Name, trimmedString } from '../../../shared/kernel/schemas/fields.ts';

/** Models of one provider. */
const modelLimit = 200;

const isWebAddress = (address: string) =>
  URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol);

const modelDetailDescriptions = {
  modelName: 'The name of the model.',
  description: 'What it is good for; may be empty.',
};

export const AiModelFields = {
  providerName: Name,
  gatewayUniqueName: Name,
  websiteUrl: trimmedString(2_000).check(
    z.refine((url) => url === '' || isWebAddress(url), 'must be an http or https URL'),
  ),
  modelDetails: z
    .array(
      described(
        z.object({ modelName: Name, description: z._default(trimmedString(2_000), '') }),
        modelDetailDescriptions,
      ),
    )
    .check(z.maxLength(modelLimit)),
};

export const aiModelDescriptions = {
  providerName: 'Who offers the models.',
  gatewayUniqueName: 'The name by which the gateway knows the provider; unique in the registry.',
  websiteUrl: 'Where to read more; may be empty.',
  modelDetails: `The provider's models, at most ${modelLimit}; an update replaces the whole list.`,
};

export const AiModelResponse = described(
  z.object({
    _id: anyString,
    providerName: anyString,
    gatewayUniqueName: anyString,
    websiteUrl: anyString,
    modelDetails: z.array(
      described(z.object({ modelName: anyString, description: anyString }), modelDetailDescriptions),
    ),
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    ...aiModelDescriptions,
    _id: 'The id of the entry.',
    modelDetails: 'The models of the provider.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'AiModel', description: 'A provider of AI models in the registry.' },
);
