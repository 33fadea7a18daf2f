import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findModel, nameActions } from './model/registry.ts';

export default operation({
  route: 'DELETE /api/ai-models/{id}',
  summary: 'Delete an AI model',
  family: 'plain',
  minimumRole: 'SUPERADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareAiModel } },
  uses: { platform: 'write' },
  async run({ path }, { platform }) {
    return platform.optimistically(async () => {
      const stored = await findModel(platform, path.id);
      await platform.commit([
        platform.delete(stored.key, { ifVersion: stored.version }),
        ...nameActions(platform, stored.data, undefined),
      ]);
      return ok({ message: 'AI model deleted' });
    });
  },
});
