import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Caller, reaches } from '../../shared/kernel/caller.ts';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { withDoubtsAbout } from '../../shared/messages/fill-placeholders.ts';
import {
  findChangeableTemplate,
  type StoredTemplate,
  templateWriter,
} from '../../shared/messages/template.ts';
import {
  TemplateFields,
  TemplateResponse,
  templateDescriptions,
  toTemplateResponse,
} from './model/template-response.ts';
import { templateWrites } from './model/template-writes.ts';

export default operation({
  route: 'PUT /api/user/sms-templates/{id}',
  summary: 'Update a template',
  description:
    'Fields you leave out keep their value. Only its creator may do this, or an ADMIN if the organization shares the template. With `isShared: false`, only its creator may use the template from then on. A workflow whose owner has wider rights than you does not send the new text before somebody with these rights has saved or enabled the workflow, or an ADMIN has sent the text as `template`: its step is skipped with the reason `template_changed`.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: z.partial(z.object(TemplateFields)),
  descriptions: templateDescriptions,
  output: changeResponse(TemplateResponse),
  failures: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { path: { id: demo.template }, body: { template: 'Hi {{firstName}}, may we call you today?' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now }) {
    return table.optimistically(async () => {
      const stored = await findChangeableTemplate(table, caller, path.id);
      const edited = {
        ...stored.data,
        ...definedOnly(body),
        ...definedOnly({ writtenBy: writerAfter(stored.data, body, caller) }),
      };
      if (isDeepStrictEqual(edited, stored.data)) {
        return ok({ message: 'No changes', data: toTemplateResponse(edited) });
      }
      const template: StoredTemplate = { ...edited, updatedAt: timestamp(now) };
      await table.commit(templateWrites(table, stored, template));
      return ok({
        message: withDoubtsAbout(template.template, 'Template updated'),
        data: toTemplateResponse(template),
      });
    });
  },
});

/** Whoever sends the text answers for it. To share it vouches for nothing, but whoever does so with a lower role answers for the text, too. */
function writerAfter(
  before: StoredTemplate,
  {
    template,
    isShared = before.isShared,
  }: { readonly template?: string | undefined; readonly isShared?: boolean | undefined },
  { userId, role }: Caller,
): StoredTemplate['writtenBy'] {
  if (template !== undefined) {
    return { userId, role };
  }
  if (isShared === before.isShared) {
    return before.writtenBy;
  }
  const known = templateWriter(before);
  return reaches(role, known.role) ? known : { userId, role };
}
