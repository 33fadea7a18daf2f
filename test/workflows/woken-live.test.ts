import { expect, test } from 'vitest';
import { second } from '../../shared/kernel/time.ts';
import { eventually } from '../harness/eventually.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import { inARow } from './advancing.ts';

const host = await setUpLiveHost();

test('On the local host, a wait of 5 seconds ends at its second', async () => {
  const admin = await host.newOrganization();
  const graph = inARow([{ type: 'delay', data: { value: 5, unit: 'seconds' } }]);
  const workflow = { name: 'Waits', enabled: true, ...graph };
  const { data: created } = await host.call('POST /api/workflows', admin, workflow);
  const contact = await host.call('POST /api/contacts/create', admin, { firstName: 'Ada' });
  const { data } = await host.call(`POST /api/workflows/${created._id}/run`, admin, {
    contactId: contact.data._id,
  });
  const [{ runId }] = data.runs;
  const finished = await eventually(async () => {
    const { data: run } = await host.call(`GET /api/workflow-runs/${runId}`, admin);
    return run.status === 'finished' && run;
  });
  const took = Date.parse(finished.finishedAt) - Date.parse(finished.startedAt);
  expect(took).toBeGreaterThanOrEqual(5 * second);
  // The clock alone would take up to a minute.
  expect(took).toBeLessThan(15 * second);
});
