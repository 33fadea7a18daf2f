import * as z from 'zod/mini';
import { actorTypes } from '../actor.ts';
import * as demo from '../demo-ids.ts';
import { described } from './descriptions.ts';
import { anyString } from './fields.ts';

const optionalString = z.optional(anyString);

/** An actor as frames and responses show it. */
export const ActorResponse = described(
  z.object({
    type: z.enum(actorTypes),
    id: optionalString,
    name: optionalString,
    userId: optionalString,
    workflowId: optionalString,
    organizationId: optionalString,
  }),
  {
    type: 'A user, a program with an API key, a run of a workflow, the webhook of a provider, a lead source, or the service itself.',
    id: 'The user, API key, run or outreach configuration, or the name of the provider; absent for the service.',
    name: 'What it is called, where that is known.',
    userId: 'The user as whom an API key acts.',
    workflowId: 'The workflow of the run.',
    organizationId: 'The organization of a SUPERADMIN who acts in another one.',
  },
  {
    id: 'Actor',
    description: 'Who did it.',
    examples: [
      { type: 'user', id: demo.admin },
      { type: 'key', id: demo.apiKey, userId: demo.admin },
      { type: 'workflow', id: demo.workflowRun, workflowId: demo.workflow },
      { type: 'provider', id: 'twilio', name: 'twilio' },
      { type: 'lead', id: demo.outreachConfiguration },
      { type: 'system' },
    ],
  },
);
