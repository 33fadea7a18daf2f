import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { withDoubtsAbout } from '../../shared/messages/fill-placeholders.ts';
import type { StoredTemplate } from '../../shared/messages/template.ts';
import {
  TemplateFields,
  TemplateResponse,
  templateDescriptions,
  toTemplateResponse,
} from './model/template-response.ts';
import { templateWrites } from './model/template-writes.ts';

export default operation({
  route: 'POST /api/user/sms-templates',
  summary: 'Create a template',
  description:
    'Every user may share a template with the organization; names need not be unique. The templates that the organization shares may take at most 2 MB together, and so may those of each user (409 beyond that).',
  family: 'plain',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z.object({
    ...TemplateFields,
    category: z._default(TemplateFields.category, ''),
    isShared: z._default(TemplateFields.isShared, false),
  }),
  descriptions: templateDescriptions,
  output: changeResponse(TemplateResponse),
  failures: ['CONFLICT'],
  example: {
    body: {
      name: 'Welcome',
      template: 'Hi {{firstName}}, thank you for your interest! When may we call you?',
      type: 'sms',
      category: 'First contact',
      isShared: true,
    },
  },
  uses: { table: 'write' },
  async run({ body }, { table, caller, now, newId }) {
    const at = timestamp(now);
    const template: StoredTemplate = {
      _id: newId(),
      organizationId: table.organizationId,
      userId: caller.userId,
      ...body,
      writtenBy: { userId: caller.userId, role: caller.role },
      createdAt: at,
      updatedAt: at,
    };
    await table.commit(templateWrites(table, undefined, template));
    return ok({
      message: withDoubtsAbout(template.template, 'Template created'),
      data: toTemplateResponse(template),
    });
  },
});
