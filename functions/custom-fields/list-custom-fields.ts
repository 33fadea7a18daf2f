import * as z from 'zod/mini';
import { fieldOwners, readFieldDefinitions } from '../../shared/contacts/field-definition.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { DefinitionResponse } from './model/definition-fields.ts';

export default operation({
  route: 'GET /api/custom-fields',
  summary: 'List the definitions of custom fields',
  description:
    'All definitions of the organization, oldest first. The list is complete: there is no next page.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object({ appliesTo: z.optional(z.enum(fieldOwners)) }),
  descriptions: { appliesTo: 'Only the definitions for these records.' },
  output: described(
    z.object({ success: z.literal(true), data: z.array(DefinitionResponse), nextCursor: z.null() }),
    {
      success: 'Always true.',
      data: 'The definitions, oldest first.',
      nextCursor: 'Always null: there is no next page.',
    },
  ),
  example: { query: { appliesTo: 'contact' } },
  uses: { table: 'read' },
  async run({ query: { appliesTo } }, { table }) {
    const { data } = await readFieldDefinitions(table);
    const definitions = data.definitions.filter(
      (definition) => appliesTo === undefined || definition.appliesTo === appliesTo,
    );
    return ok({ data: definitions, nextCursor: null });
  },
});
