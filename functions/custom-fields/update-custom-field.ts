import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { changeDefinitions } from './model/definition-changes.ts';
import { DefinitionResponse, definitionDescriptions, definitionFields } from './model/definition-fields.ts';

export default operation({
  route: 'PUT /api/custom-fields/{id}',
  summary: 'Update the definition of a custom field',
  description:
    'Fields you leave out keep their value; `key` and `type` cannot change (400). Values that records have already stay as they are, also where they do not fit any more.',
  family: 'contacts',
  minimumRole: 'ADMIN',
  body: z.partial(z.object(definitionFields)),
  descriptions: {
    ...definitionDescriptions,
    key: 'Only the one that it has.',
    type: 'Only the one that it has.',
  },
  output: changeResponse(DefinitionResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.customField }, body: { label: 'Yearly budget' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, now }) {
    return changeDefinitions(table, (definitions) => {
      const before = definitions.find(({ _id }) => _id === path.id);
      if (before === undefined) {
        throw notFound('Custom field');
      }
      for (const fixed of ['key', 'type'] as const) {
        if (body[fixed] !== undefined && body[fixed] !== before[fixed]) {
          throw new Failure('INVALID', `${fixed} cannot change. Define another field instead.`);
        }
      }
      const edited = { ...before, ...definedOnly(body) };
      if (isDeepStrictEqual(edited, before)) {
        return { definitions, result: ok({ message: 'No changes', data: before }) };
      }
      const data = { ...edited, updatedAt: timestamp(now) };
      return {
        definitions: definitions.map((definition) => (definition === before ? data : definition)),
        result: ok({ message: 'Custom field updated', data }),
      };
    });
  },
});
