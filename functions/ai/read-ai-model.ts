import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { AiModelResponse } from './model/model-fields.ts';
import { findModel } from './model/registry.ts';

export default operation({
  route: 'GET /api/ai-models/{id}',
  summary: 'Read an AI model',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(AiModelResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.aiModel } },
  uses: { platform: 'read' },
  async run({ path }, { platform }) {
    const { data } = await findModel(platform, path.id);
    return ok({ data });
  },
});
