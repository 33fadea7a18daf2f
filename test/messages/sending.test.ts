import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lease } from '../../functions/messages/model/lease.ts';
import { queuedMessageKey } from '../../functions/messages/model/queued-message.ts';
import { minute, after as plus, timestamp } from '../../shared/kernel/time.ts';
import type { SmsProvider } from '../../shared/messages/sms-provider.ts';
import { recordedId } from '../../shared/ports/sms-recorder.ts';
import { deskOf } from '../contacts/desk.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { inboxOf } from '../conversations/conversations.ts';
import { eventually } from '../harness/eventually.ts';
import { type Person, type Product, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { type Outgoing, outgoingOf } from './outgoing.ts';
import { newLine } from './phones.ts';
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

const newRecipient = (person = admin) => recipientOf(product, person);

describe('A queued message', () => {
  it('is sent, and has the status `sent` and the id that the provider gave it', async () => {
    const ada = await newRecipient();
    const { _id } = await ada.queue();
    await outgoing.tellAll(admin);
    expect(ada.sent()).toEqual(['Hello']);
    expect(await ada.messages()).toEqual([
      { content: 'Hello', status: 'sent', providerMessageId: recordedId(_id) },
    ]);
    expect(await outgoing.records(admin)).toEqual([]);
  });

  it('that the provider refuses has the status `failed`', async () => {
    const ada = await newRecipient();
    product.sms.behave(ada.to, 'refuses');
    await ada.queue();
    await outgoing.tellAll(admin);
    expect(await ada.messages()).toEqual([{ content: 'Hello', status: 'failed', providerMessageId: null }]);
    expect(await outgoing.records(admin)).toEqual([]);
  });

  it('keeps exactly the fields of a message when it has failed', async () => {
    const ada = await newRecipient();
    product.sms.behave(ada.to, 'refuses');
    const queued = await ada.queue();
    await outgoing.tellAll(admin);
    const { data } = (await inboxOf(product, admin).messages(queued.conversationId)).body;
    expect(data).toEqual([{ ...queued, status: 'failed' }]);
  });

  it('is sent once, however often the stream tells of it', async () => {
    const ada = await newRecipient();
    await ada.queue();
    const records = await outgoing.records(admin);
    await outgoing.tell([...records, ...records]);
    await outgoing.tell(records);
    await outgoing.tell(records, { at: plus(new Date(), 10 * minute) });
    expect(ada.sent()).toEqual(['Hello']);
  });

  it('is sent once when the stream tells two runs of it at the same time', async () => {
    const ada = await newRecipient();
    await ada.queue();
    const records = await outgoing.records(admin);
    await Promise.all([outgoing.tell(records), outgoing.tell(records), outgoing.tell(records)]);
    expect(ada.sent()).toEqual(['Hello']);
    expect(await ada.messages()).toMatchObject([{ status: 'sent' }]);
  });

  it('that another run is sending is waited for, not sent again', async () => {
    const ada = await newRecipient();
    await ada.queue();
    const records = await outgoing.records(admin);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const slow: SmsProvider = {
      async send(message) {
        asked.resolve();
        await answer.promise;
        return product.sms.send(message);
      },
    };
    const first = outgoing.tell(records, { providers: { sms: () => slow } });
    await asked.promise;
    const second = outgoing.tell(records);
    answer.resolve();
    await Promise.all([first, second]);
    expect(ada.sent()).toEqual(['Hello']);
  });

  it('is not sent to a contact that has been deleted meanwhile', async () => {
    const ada = await newRecipient();
    await ada.queue();
    const records = await outgoing.records(admin);
    await deskOf(product, admin).remove(ada.contactId);
    await outgoing.tell(records);
    expect(ada.sent()).toEqual([]);
    expect(await outgoing.records(admin)).toEqual([]);
  });

  it('is not sent to a contact that has opted out meanwhile: it fails', async () => {
    const line = await newLine(product, admin, admin);
    const ada = await newRecipient();
    await ada.queue();
    expectStatus(await line.text({ From: ada.to, Body: 'STOP' }), 200);
    await outgoing.tellAll(admin);
    expect(ada.sent()).toEqual([]);
    expect(await ada.messages()).toMatchObject([{ status: 'failed' }, { content: 'STOP' }]);
  });

  it('is not sent to a contact that opts out while another run has the message, which gives it back', async () => {
    const line = await newLine(product, admin, admin);
    const ada = await newRecipient();
    await ada.queue();
    const records = await outgoing.records(admin);
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const unavailable: SmsProvider = {
      async send() {
        asked.resolve();
        await answer.promise;
        throw new Error('The provider stumbles');
      },
    };
    const first = outgoing.tell(records, { providers: { sms: () => unavailable } });
    const given = expect(first).rejects.toThrow();
    await asked.promise;
    const table = faultyTable();
    const second = outgoing.tell(records);
    await eventually(() => table.tries('UpdateItemCommand').length > 0);
    table.restore();
    expectStatus(await line.text({ From: ada.to, Body: 'STOP' }), 200);
    answer.resolve();
    await Promise.all([given, second]);
    expect(ada.sent()).toEqual([]);
    expect(await ada.messages()).toMatchObject([{ status: 'failed' }, { content: 'STOP' }]);
  });

  it('is sent to a contact that was moved, edited and written to meanwhile', async () => {
    const ada = await newRecipient();
    await ada.queue('One');
    await deskOf(product, admin).move(ada.contactId, { stage: 'Won' });
    await deskOf(product, admin).update(ada.contactId, { firstName: 'Grace' });
    await ada.queue('Two', plus(new Date(), minute));
    await outgoing.tellAll(admin);
    expect(await ada.messages()).toMatchObject([
      { content: 'One', status: 'sent' },
      { content: 'Two', status: 'sent' },
    ]);
  });
});

describe('A batch', () => {
  it('of 100 messages to 50 contacts of two organizations is sent whole, to each in order', async () => {
    const other = await product.newOrganization();
    const people = [...Array(40).fill(admin), ...Array(10).fill(other)] as Person[];
    const start = new Date();
    const recipients = await Promise.all(people.map((person) => newRecipient(person)));
    for (const recipientNumber of recipients) {
      await recipientNumber.queue('One', start);
      await recipientNumber.queue('Two', plus(start, 1));
    }
    await outgoing.tell([...(await outgoing.records(admin)), ...(await outgoing.records(other))]);
    for (const recipientNumber of recipients) {
      expect(recipientNumber.sent()).toEqual(['One', 'Two']);
    }
  });

  it('comes again when a number cannot be reached; the other messages are sent, and once', async () => {
    const [ada, grace] = [await newRecipient(), await newRecipient()];
    product.sms.behave(ada.to, 'unavailable');
    await ada.queue('To Ada');
    await grace.queue('To Grace');
    const records = await outgoing.records(admin);
    await expect(outgoing.tell(records)).rejects.toThrow('send-queued-message could not take this batch');
    expect([ada.sent(), grace.sent()]).toEqual([[], ['To Grace']]);
    expect(await ada.messages()).toMatchObject([{ status: 'queued' }]);

    product.sms.behave(ada.to, 'sends');
    await outgoing.tell(records);
    expect([ada.sent(), grace.sent()]).toEqual([['To Ada'], ['To Grace']]);
    expect(await ada.messages()).toMatchObject([{ status: 'sent' }]);
  });

  it('lets no message overtake one to the same number that could not be sent', async () => {
    const ada = await newRecipient();
    const start = new Date();
    await ada.queue('One', start);
    await ada.queue('Two', plus(start, 1));
    const records = await outgoing.records(admin);
    let unavailable = 1;
    const stumbling: SmsProvider = {
      async send(message) {
        if (unavailable > 0) {
          unavailable -= 1;
          throw new Error('The provider stumbles');
        }
        return product.sms.send(message);
      },
    };
    await expect(outgoing.tell(records, { providers: { sms: () => stumbling } })).rejects.toThrow();
    expect(ada.sent()).toEqual([]);
    await outgoing.tell(records, { providers: { sms: () => stumbling } });
    expect(ada.sent()).toEqual(['One', 'Two']);
  });

  it('claims each message for as long as the first, however late its turn comes', async () => {
    const ada = await newRecipient();
    const start = new Date();
    await ada.queue('One', start);
    const { _id } = await ada.queue('Two', plus(start, 1));
    const { table } = product.tableOf(admin.organizationId);
    const took = 200;
    let claimedUntil = '';
    const slow: SmsProvider = {
      async send(message) {
        if (message.content === 'One') {
          const end = performance.now() + took;
          await eventually(() => performance.now() >= end);
        } else {
          const queued = await table.read(queuedMessageKey(ada.contactId, _id));
          claimedUntil = String(queued?.attributes?.claimedUntil);
        }
        return product.sms.send(message);
      },
    };
    await outgoing.tell(await outgoing.records(admin), { at: start, providers: { sms: () => slow } });
    expect(ada.sent()).toEqual(['One', 'Two']);
    expect(claimedUntil >= timestamp(plus(start, lease + took))).toBe(true);
  });

  it('has failed after six attempts at a number that cannot be reached', async () => {
    const ada = await newRecipient();
    product.sms.behave(ada.to, 'unavailable');
    await ada.queue();
    const records = await outgoing.records(admin);
    for (let attempt = 1; attempt < 6; attempt += 1) {
      await expect(outgoing.tell(records)).rejects.toThrow();
      expect(await ada.messages()).toMatchObject([{ status: 'queued' }]);
    }
    await outgoing.tell(records);
    expect(await ada.messages()).toMatchObject([{ status: 'failed', providerMessageId: null }]);
    product.sms.behave(ada.to, 'sends');
    await outgoing.tell(records);
    expect(ada.sent()).toEqual([]);
  });
});
