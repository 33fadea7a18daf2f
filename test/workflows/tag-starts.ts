import type { Call } from '../harness/call.ts';
import type { Person } from '../harness/product.ts';
import type { Tenants } from '../harness/tenants.ts';
import { arrange } from '../harness/tenants.ts';
import { prepareStarts, trigger } from './starting.ts';

/** Workflows that start when a contact gets a tag, and those who add tags. */
export async function tagStartsIn(tenants: Tenants) {
  const { product, rep } = tenants;
  const starts = await prepareStarts(tenants);
  let tags = 0;

  const call = async (name: string, more: Call = {}, by: Person = rep) =>
    (await arrange(product.call(name, { token: by.token, ...more }))).data;

  return {
    starts,
    call,
    update: (id: string, body: Record<string, unknown>, by: Person = rep) =>
      call('update-contact', { path: { id }, body }, by),
    /** A tag that only one test adds, so that workflows of other tests do not start. */
    newTag() {
      tags += 1;
      return `tag-${tags}`;
    },
    /** A trigger for the tag. */
    onTag: (tag: string, id?: string) =>
      trigger('contact.tag_added', { filter: [{ field: 'event.tag', operator: 'equals', value: tag }] }, id),
    runsOf: async (contactId: string, { _id }: { _id: string }) =>
      (await starts.runs(contactId)).filter(({ workflowId }) => workflowId === _id),
  };
}
