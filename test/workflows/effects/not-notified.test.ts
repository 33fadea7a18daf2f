import { expect, test } from 'vitest';
import { after, minute } from '../../../shared/kernel/time.ts';
import { setUpTenants } from '../../harness/fixtures.ts';
import { arrange } from '../../harness/tenants.ts';
import { readEveryNotification } from '../../notifications/client.ts';
import { setDisabled } from '../../organizations/client.ts';
import { inARow, prepareRuns } from '../advancing.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, newContact } = tenants;
const runs = await prepareRuns(tenants);

/** Workflow runs, "notifyUser": who is disabled, has `automationTriggers` off or cannot see the contact gets none. */
test('A step that notifies who cannot be notified has passed with the reason, and the run goes on to those who can', async () => {
  const [disabled, unwilling] = await product.newColleagues(admin, [{ role: 'ADMIN' }, { role: 'ADMIN' }]);
  await setDisabled(product, admin, disabled, true);
  await arrange(
    product.call('update-notification-preferences', {
      token: unwilling.token,
      body: { automationTriggers: false },
    }),
  );
  const users = [disabled, unwilling, otherRep, rep];
  const steps = users.map(({ userId }) => ({ type: 'notifyUser', data: { userId, message: 'Look' } }));
  const { _id: contactId } = await newContact();
  const at = new Date();
  const runId = await runs.start(await runs.newWorkflow(inARow(steps)), contactId, { at });
  await runs.advance(runId, after(at, minute));

  const stepRecords = await runs.stepRecords(runId);
  expect(stepRecords.map(({ nodeId, status, reason }) => [nodeId, status, reason])).toEqual([
    ['trigger', 'passed', undefined],
    ['n1', 'passed', 'Not notified: the user is disabled'],
    ['n2', 'passed', 'Not notified: the user has turned off such notifications'],
    ['n3', 'passed', 'Not notified: the user cannot see the contact'],
    ['n4', 'passed', undefined],
  ]);
  expect(await runs.run(runId)).toMatchObject({ status: 'finished' });
  for (const user of [unwilling, otherRep]) {
    expect(await readEveryNotification(product, user)).toEqual([]);
  }
  expect(await readEveryNotification(product, rep)).toMatchObject([{ type: 'automation', message: 'Look' }]);
});
