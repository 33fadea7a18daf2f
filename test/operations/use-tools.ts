import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  refused: { superadmin: 403, admin: 403, head: 403, rep: 403 },
  byKey: 200,
  request: () => ({
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  }),
});
