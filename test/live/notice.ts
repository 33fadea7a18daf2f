import type { NewEvent } from '../../shared/live/outbox.ts';

/** An event for everybody in the organization. */
export const notice = {
  event: 'workflow_updated',
  data: {
    workflowId: '01JD8Z3V5Q6M7N8P9R0S1T2V3W',
    userId: '01JD8Z40A1B2C3D4E5F6G7H8J9',
    change: 'toggled',
    name: 'Follow up',
    enabled: true,
    updatedAt: '2026-03-04T12:00:00.000Z',
  },
  audience: { kind: 'organization' },
} as const satisfies NewEvent;
