import { afterEach, expect, test } from 'vitest';
import { duePart } from '../../shared/events/due-entry.ts';
import { after, minute, timestamp } from '../../shared/kernel/time.ts';
import { queuedMessageRange } from '../../shared/messages/queued-message.ts';
import { type CommandName, type Fault, replyLost, timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { prepareScheduled } from '../messages/scheduled-client.ts';
import { dueEntriesClient } from './due-entries.ts';

const product = await setUpProduct();
const { newUser, schedule, entry, run, doneFor } = dueEntriesClient(product);
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

const commands: readonly CommandName[] = [
  'GetItemCommand',
  'QueryCommand',
  'TransactWriteItemsCommand',
  'UpdateItemCommand',
  'PutItemCommand',
];

/** From this call on, counted from 0, nothing succeeds: the run dies. Returns how many calls there were. */
function dieAt(call: number, fault: Fault): () => number {
  let calls = 0;
  for (const command of commands) {
    faults.always(command, (next, input) => {
      calls += 1;
      return calls > call ? (calls === call + 1 ? fault : timedOut)(next, input) : next();
    });
  }
  return () => calls;
}

test.each([
  ['before', timedOut],
  ['after', replyLost],
])(
  'A run that dies at any of its calls, %s the table has done it, is made good by the next, once',
  async (_, fault) => {
    let at = new Date('2030-01-01T09:00:00Z');
    let isWhole = false;
    for (let call = 0; !isWhole; call += 1) {
      at = after(at, 10 * minute);
      const entries = [-9, -4, 0].map((minutes) => entry(newUser(), after(at, minutes * minute)));
      await schedule(entries);
      const calls = dieAt(call, fault);
      await run(at).catch(() => undefined);
      isWhole = calls() <= call;
      faults.clear();
      await run(after(at, minute));
      for (const { group, id } of entries) {
        expect(await doneFor(group)).toEqual([id]);
      }
      expect(call).toBeLessThan(20);
    }
  },
);

test.each([
  ['before', timedOut],
  ['after', replyLost],
])(
  'A text at whose time the run dies at any of its calls, %s the table has done it, is queued once by the next',
  async (_, fault) => {
    const { run: runParts, recipient, nextTime } = await prepareScheduled(product);
    const admin = await product.newOrganization();
    const ada = await recipient(admin);
    const { table } = product.tableOf(admin.organizationId);
    const parts = [Number(duePart(admin.userId))];
    let isWhole = false;
    for (let call = 0; !isWhole; call += 1) {
      const at = nextTime();
      const { _id } = await ada.scheduled(at, { content: `Call ${call}` });
      const calls = dieAt(call, fault);
      await runParts(at, parts).catch(() => undefined);
      isWhole = calls() <= call;
      faults.clear();
      await runParts(after(at, minute), parts);
      const queued = await table.list(queuedMessageRange(ada.contactId));
      expect(queued.filter(({ data }) => data.messageId === _id)).toHaveLength(1);
      expect(await ada.conversation()).toMatchObject({
        messageCount: call + 1,
        lastMessage: `Call ${call}`,
        // It was queued by the run that died, or by the one after it.
        lastMessageAt: expect.toBeOneOf([at, after(at, minute)].map(timestamp)),
      });
      expect((await ada.events()).filter(([, status]) => status === 'queued')).toHaveLength(call + 1);
      expect(call).toBeLessThan(40);
    }
  },
);
