import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { findTemplates, templateTypes } from '../../shared/messages/template.ts';
import { TemplateResponse, toTemplateResponse } from './model/template-response.ts';

export default operation({
  route: 'GET /api/user/sms-templates',
  summary: 'List templates',
  tool: {
    name: 'list_templates',
    when: 'Before you write a text: the organization may have worded it already.',
  },
  description:
    'The templates that the organization shares, and your own, sorted by name. The list is complete: there is no next page.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({ type: z.optional(z.enum(templateTypes)) }),
  descriptions: { type: 'Only templates of this type.' },
  output: z.array(TemplateResponse),
  example: { query: { type: 'sms' } },
  uses: { table: 'read' },
  async run({ query }, { table, caller }) {
    const templates = await findTemplates(table, caller);
    return templates
      .filter(({ type }) => query.type === undefined || type === query.type)
      .map(toTemplateResponse);
  },
});
