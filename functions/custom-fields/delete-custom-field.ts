import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { changeDefinitions } from './model/definition-changes.ts';

export default operation({
  route: 'DELETE /api/custom-fields/{id}',
  summary: 'Delete the definition of a custom field',
  description: 'The values that records have stay; from then on, the field may hold anything.',
  family: 'contacts',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareCustomField } },
  uses: { table: 'write' },
  async run({ path }, { table }) {
    return changeDefinitions(table, (definitions) => {
      const others = definitions.filter(({ _id }) => _id !== path.id);
      if (others.length === definitions.length) {
        throw notFound('Custom field');
      }
      return { definitions: others, result: ok({ message: 'Custom field deleted' }) };
    });
  },
});
