import * as demo from '../../shared/demo-ids.ts';
import { messageResponse, ok } from '../../shared/kernel/envelope.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changePipelines } from './model/pipeline-changes.ts';

export default operation({
  route: 'DELETE /api/pipelines/{id}',
  summary: 'Delete a pipeline',
  description:
    'All its stages must be empty; otherwise the response is 409 and names one that is not. After the active pipeline of a type is deleted, boards of the type are empty until another one is made active.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.sparePipeline } },
  uses: { table: 'write' },
  async run({ path }, { table }) {
    return changePipelines(table, (pipelines) => {
      const others = pipelines.filter(({ _id }) => _id !== path.id);
      if (others.length === pipelines.length) {
        throw notFound('Pipeline');
      }
      return { pipelines: others, result: ok({ message: 'Pipeline deleted' }) };
    });
  },
});
