import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import type { AiModel } from './model/model.ts';
import { AiModelFields, AiModelResponse, aiModelDescriptions } from './model/model-fields.ts';
import { findModel, nameActions } from './model/registry.ts';

export default operation({
  route: 'PUT /api/ai-models/{id}',
  summary: 'Update an AI model',
  description: 'Fields you leave out keep their value. An update that changes nothing keeps `updatedAt`.',
  family: 'plain',
  minimumRole: 'SUPERADMIN',
  body: z.partial(z.object(AiModelFields)),
  descriptions: aiModelDescriptions,
  output: changeResponse(AiModelResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: {
    path: { id: demo.aiModel },
    body: { modelDetails: [{ modelName: 'small-2', description: 'Quicker answers' }] },
  },
  uses: { platform: 'write' },
  async run({ path, body }, { platform, now }) {
    return platform.optimistically(async () => {
      const stored = await findModel(platform, path.id);
      const edited = { ...stored.data, ...definedOnly(body) };
      if (isDeepStrictEqual(edited, stored.data)) {
        return ok({ message: 'No changes', data: stored.data });
      }
      const model: AiModel = { ...edited, updatedAt: timestamp(now) };
      await platform.commit([platform.replace(stored, model), ...nameActions(platform, stored.data, model)]);
      return ok({ message: 'AI model updated', data: model });
    });
  },
});
