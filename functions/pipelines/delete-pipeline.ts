import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { changePipelines } from './model/pipeline-changes.ts';

export default operation({
  route: 'DELETE /api/pipelines/{id}',
  summary: 'Delete a pipeline',
  description:
    'All its stages must be empty; otherwise the response is 409 and names one that is not. The last Contact pipeline cannot be deleted either (409), because new contacts enter it. After the active pipeline of a type is deleted, boards of the type are empty until another one is made active.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.sparePipeline } },
  uses: { table: 'write' },
  async run({ path }, { table }) {
    return changePipelines(table, (pipelines) => {
      const removed = pipelines.find(({ _id }) => _id === path.id);
      if (removed === undefined) {
        throw notFound('Pipeline');
      }
      const others = pipelines.filter((pipeline) => pipeline !== removed);
      if (removed.type === 'Contact' && others.every(({ type }) => type !== 'Contact')) {
        // Without it, leads, texts and calls of unknown numbers would be lost.
        throw new Failure(
          'CONFLICT',
          'This is the last Contact pipeline, and new contacts must enter one. Create another Contact pipeline first.',
        );
      }
      return { pipelines: others, result: ok({ message: 'Pipeline deleted' }) };
    });
  },
});
