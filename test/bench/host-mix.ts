import * as demo from '../../shared/demo-ids.ts';
import type { HttpRequest } from './http-connection.ts';

interface Asked {
  /** Method and path. */
  readonly route: string;
  /** Depends on the number of the request where each must differ. */
  readonly body?: (number: number) => unknown;
}

/** Twenty operations of a usual day: a fifth of them write. */
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
];

/** The requests of an ADMIN, one operation after the other. */
export function mixedRequests(token: string): () => HttpRequest {
  let number = 0;
  return () => {
    const { route, body } = mix[number % mix.length] as Asked;
    number += 1;
    const [method = '', path = ''] = route.split(' ');
    return { method, path, token, body: body?.(number) };
  };
}
