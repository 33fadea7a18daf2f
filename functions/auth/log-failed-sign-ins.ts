import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { joined } from '../../shared/table/key.ts';
import { throttleKey } from './model/credentials.ts';
import { addFailedSignIns, failedSignIn } from './model/failed-sign-ins.ts';

/** Accounts whose failed sign-ins are logged at the same time. */
const width = 4;

/** The throttle counts each failed sign-in in the request; how many they were is written here, so that the request costs no more. */
export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: joined(throttleKey('ACCOUNT', '-').sort) },
  summary: 'Write to the log how many sign-ins to an account failed',
  uses: { organizations: 'write' },
  async run(changes, { organizations }) {
    const failures = changes.flatMap(failedSignIn);
    const byEntry = Map.groupBy(failures, ({ organizationId, id }) => `${organizationId} ${id}`);
    await forEachOrThrow(byEntry.values(), width, async (some) => {
      const [{ organizationId } = { organizationId: '' }] = some;
      await addFailedSignIns(organizations(organizationId), some);
    });
    return { failures: failures.length };
  },
});
