import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { eventFieldDescriptions, eventFields } from './node-fields.ts';
import { nodeType } from './node-type.ts';

export const triggerType = 'trigger';

export const TriggerData = described(z.object(eventFields), {
  event: 'What starts a run for the contact that it happened to.',
  ...eventFieldDescriptions,
});

export default nodeType({
  type: triggerType,
  title: 'Trigger',
  description:
    'Starts a run when this happens to a contact that the owner of the workflow may see. A workflow may have up to 50, each of which starts runs of its own; the filter of each may have 4 KB, and those for the same event 8 KB together.',
  schema: TriggerData,
  decide: () => ({ outcome: { status: 'passed' } }),
});
