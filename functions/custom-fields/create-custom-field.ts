import * as z from 'zod/mini';
import type { FieldDefinition } from '../../shared/contacts/field-definition.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { changeDefinitions } from './model/definition-changes.ts';
import { DefinitionResponse, definitionDescriptions, definitionFields } from './model/definition-fields.ts';

export default operation({
  route: 'POST /api/custom-fields',
  summary: 'Define a custom field',
  description:
    'From then on, each write of the field must fit its type; values from before stay as they are. Custom fields without a definition stay free. [Custom fields](#/Custom%20fields) has the types, and says who is asked for required fields. An organization has at most 100 definitions of 64 KB together; beyond that, and for a key that is taken, the response is 409.',
  family: 'contacts',
  minimumRole: 'ADMIN',
  status: 201,
  body: z.object(definitionFields),
  descriptions: definitionDescriptions,
  output: changeResponse(DefinitionResponse),
  failures: ['CONFLICT'],
  example: {
    body: {
      key: 'renewal',
      label: 'Renewal date',
      type: 'date',
      appliesTo: 'contact',
    },
  },
  uses: { table: 'write' },
  async run({ body }, { table, now, newId }) {
    const at = timestamp(now);
    const { options = [], required = false, ...rest } = body;
    const data: FieldDefinition = { _id: newId(), ...rest, options, required, createdAt: at, updatedAt: at };
    return changeDefinitions(table, (definitions) => ({
      definitions: [...definitions, data],
      result: ok({ message: 'Custom field defined', data }),
    }));
  },
});
