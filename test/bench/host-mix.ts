import * as demo from '../../shared/kernel/demo-ids.ts';
import type { HttpRequest } from './http-client.ts';

interface Asked {
  /** Method and path. */
  readonly route: string;
  /** Depends on the number of the request where each must differ. */
  readonly body?: (number: number) => unknown;
}

/** Operations of a usual day: each is a function of its own. */
const mix: readonly Asked[] = [
  { route: 'POST /api/contacts', body: () => ({ size: 20 }) },
  { route: `GET /api/contacts/${demo.ada}` },
  { route: 'POST /api/contacts/create', body: (number) => ({ firstName: `Load ${number}` }) },
  { route: `PUT /api/contacts/${demo.ada}`, body: (number) => ({ firstName: `Ada ${number % 7}` }) },
  { route: `GET /api/contact-notes?contactId=${demo.ada}` },
  { route: 'POST /api/contact-notes', body: (number) => ({ contactId: demo.ada, note: `Load ${number}` }) },
  { route: 'GET /api/conversations' },
  { route: `GET /api/conversations/${demo.conversation}/messages` },
  { route: 'GET /api/notifications' },
  { route: 'GET /api/notifications/unread-count' },
  { route: 'GET /api/pipelines' },
  { route: 'GET /api/users' },
  { route: 'GET /api/departments' },
  { route: 'GET /api/reminders' },
  { route: 'GET /api/calls' },
  { route: 'GET /api/workflows' },
  { route: 'GET /api/marketplace' },
  { route: 'GET /api/user/sms-templates' },
  { route: 'GET /api/auth/verify-token' },
  { route: 'GET /api/outreach-metrics' },
  { route: 'GET /api/outreach' },
  { route: 'GET /api/ai-models' },
  { route: 'GET /api/applications' },
  { route: 'GET /api/auth/factors' },
  { route: 'GET /api/auth/sessions' },
  { route: 'GET /api/users/invitations' },
  { route: 'GET /api/user/notification-preferences' },
  { route: `GET /api/conversations/${demo.conversation}` },
  { route: `GET /api/contacts/${demo.ada}/separation-data` },
  { route: `GET /api/contacts/${demo.ada}/workflow-runs` },
  { route: `GET /api/organizations/${demo.organization}` },
  { route: `GET /api/organizations/${demo.organization}/business-hours` },
  { route: `GET /api/organizations/${demo.organization}/missed-call-policy` },
  { route: `GET /api/organizations/${demo.organization}/session-settings` },
  { route: 'GET /api/workflow-node-types' },
];

/** How many operations a usual day has. */
export const allKinds = mix.length;

/** The requests of an ADMIN: the first `kinds` operations, one after the other. */
export function mixedRequests(token: string, kinds: number): () => HttpRequest {
  let number = 0;
  return () => {
    const { route, body } = mix[number % kinds] as Asked;
    number += 1;
    const [method = '', path = ''] = route.split(' ');
    return { method, path, token, body: body?.(number) };
  };
}
