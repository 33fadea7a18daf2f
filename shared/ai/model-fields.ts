import * as z from 'zod/mini';
import { anyText, Name, text } from '../kernel/fields.ts';

/** Models of one provider. */
const modelLimit = 200;

const isWebAddress = (address: string) =>
  URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol);

/** What a client says of an entry. */
export const AiModelFields = {
  providerName: Name,
  gatewayUniqueName: Name,
  websiteUrl: text(2_000).check(
    z.refine((url) => url === '' || isWebAddress(url), 'must be a http or https URL'),
  ),
  modelDetails: z
    .array(z.object({ modelName: Name, description: z._default(text(2_000), '') }))
    .check(z.maxLength(modelLimit)),
};

export const aiModelMeanings = {
  gatewayUniqueName: 'Unique in the registry.',
  modelDetails: `At most ${modelLimit}; replaced whole.`,
};

export const AiModelAnswer = z
  .object({
    _id: anyText,
    providerName: anyText,
    gatewayUniqueName: anyText,
    websiteUrl: anyText,
    modelDetails: z.array(z.object({ modelName: anyText, description: anyText })),
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(z.meta({ id: 'AiModel' }));
