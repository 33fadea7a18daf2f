import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { aiModelKey } from './model/model.ts';
import { AiModelFields, AiModelResponse, aiModelDescriptions } from './model/model-fields.ts';
import { nameActions } from './model/registry.ts';

export default operation({
  route: 'POST /api/ai-models',
  summary: 'Add an AI model',
  description: 'Adds an entry, a provider with its models, to the registry that all organizations share.',
  family: 'plain',
  minimumRole: 'SUPERADMIN',
  status: 201,
  body: z.object({
    ...AiModelFields,
    websiteUrl: z._default(AiModelFields.websiteUrl, ''),
    modelDetails: z._default(AiModelFields.modelDetails, []),
  }),
  descriptions: aiModelDescriptions,
  output: changeResponse(AiModelResponse),
  failures: ['CONFLICT'],
  example: {
    body: {
      providerName: 'Example AI',
      gatewayUniqueName: 'example-ai',
      websiteUrl: 'https://example.com',
      modelDetails: [{ modelName: 'small-1', description: 'Quick answers' }],
    },
  },
  uses: { platform: 'write' },
  async run({ body }, { platform, now, newId }) {
    const at = timestamp(now);
    const model = { _id: newId(), ...body, createdAt: at, updatedAt: at };
    await platform.commit([
      platform.add(aiModelKey(model._id), model),
      ...nameActions(platform, undefined, model),
    ]);
    return ok({ message: 'AI model added', data: model });
  },
});
