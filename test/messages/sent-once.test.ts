import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { minute, after as plus } from '../../shared/kernel/time.ts';
import { conflict, type FaultyTable, faultyTable, replyLost, timedOut } from '../contacts/faulty-table.ts';
import { type Person, type Product, startProduct } from '../harness/product.ts';
import { type Outgoing, outgoingOf } from './outgoing.ts';
import { recipientOf } from './recipient.ts';

let product: Product;
let outgoing: Outgoing;
let admin: Person;
beforeAll(async () => {
  product = await startProduct();
  outgoing = await outgoingOf(product);
});
// An organization for each test: what is queued is its own.
beforeEach(async () => {
  admin = await product.newOrganization();
});
afterAll(() => product.stop());

describe('A message is sent once', () => {
  let faults: FaultyTable;
  beforeEach(() => {
    faults = faultyTable();
  });
  afterEach(() => faults.restore());

  it.each([
    ['the reply to the claim is lost', 'UpdateItemCommand', [replyLost]],
    ['the reply to the record is lost', 'TransactWriteItemsCommand', [replyLost]],
    ['the table does not answer the record at first', 'TransactWriteItemsCommand', [timedOut]],
    ['other transactions are in the way of the record', 'TransactWriteItemsCommand', [conflict, conflict]],
  ] as const)('when %s', async (_, command, met) => {
    const ada = await recipientOf(product, admin);
    await ada.queue();
    const records = await outgoing.records(admin);
    faults.next(command, ...met);
    await outgoing.tell(records);
    await outgoing.tell(records);
    expect(ada.sent()).toEqual(['Hello']);
    expect(await ada.messages()).toMatchObject([{ status: 'sent' }]);
  });

  it('unless the run dies after the provider has taken it: then once more, when its claim has run out', async () => {
    const ada = await recipientOf(product, admin);
    await ada.queue();
    const records = await outgoing.records(admin);
    faults.always('TransactWriteItemsCommand', timedOut);
    await expect(outgoing.tell(records)).rejects.toThrow();
    faults.clear();
    expect(ada.sent()).toEqual(['Hello']);
    await outgoing.tell(records, { at: plus(new Date(), minute) });
    expect(ada.sent()).toEqual(['Hello', 'Hello']);
    expect(await ada.messages()).toMatchObject([{ status: 'sent' }]);
    await outgoing.tell(records, { at: plus(new Date(), 2 * minute) });
    expect(ada.sent()).toEqual(['Hello', 'Hello']);
  });

  it('and not lost when the run dies before the provider was asked', async () => {
    const ada = await recipientOf(product, admin);
    await ada.queue();
    const records = await outgoing.records(admin);
    faults.next('UpdateItemCommand', replyLost);
    faults.always('UpdateItemCommand', timedOut);
    await expect(outgoing.tell(records)).rejects.toThrow();
    faults.clear();
    expect(ada.sent()).toEqual([]);
    await outgoing.tell(records, { at: plus(new Date(), minute) });
    expect(ada.sent()).toEqual(['Hello']);
  });
});
