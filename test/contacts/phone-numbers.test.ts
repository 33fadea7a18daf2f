import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from '../harness/product.ts';
import { newPhoneNumber } from '../harness/world.ts';
import { type Desk, newDesk } from './desk.ts';

let product: Product;
let desk: Desk;
beforeAll(async () => {
  product = await startProduct();
  desk = await newDesk(product);
});
afterAll(() => product.stop());

const withNumber = (value: unknown, more: object = {}) => ({
  firstName: 'P',
  phoneNumbers: [{ value, ...more }],
});

const taken = (contactId: string) => ({
  error: 'Phone number taken',
  message: 'Another contact of this organization already has this phone number.',
  contactId,
});

describe('a phone number', () => {
  it.each([
    ['+15550100001', '+15550100001'],
    [' +1 555 010 0002 ', '+15550100002'],
    ['+1 (555) 010-0003', '+15550100003'],
    ['+1.555.010.0004', '+15550100004'],
    ['0015550100005', '+15550100005'],
    ['00 1 (555) 010-0006', '+15550100006'],
    ['(00)1-555-010-0007', '+15550100007'],
    ['+1\u00a0555\u202f0100008', '+15550100008'],
    ['+1\u2011555\u2013010\u22120009', '+15550100009'],
    ['+[1] 555-0100010', '+15550100010'],
    ['\u202a+1 555\u2011010\u20110011\u202c', '+15550100011'],
    ['\ufeff+1\u200b5550100\u2069012', '+15550100012'],
    ['+12', '+12'],
    ['+123456789012345', '+123456789012345'],
  ])('written %j is stored as %s', async (written, stored) => {
    const record = await desk.created(withNumber(written, { label: ' mobile ' }));
    expect(record.phoneNumbers).toEqual([{ value: stored, label: 'mobile', isPrimary: true }]);
  });

  it.each([
    '',
    ' ',
    '+',
    '+1',
    '15550100001',
    '+0155501000',
    '000155501000',
    '+1234567890123456',
    '+1555010000a',
    '+1555+0100',
    '++15550100',
    '+1555010001;ext=5',
    '+１５５５０１０００１',
    '+1555\u0000010',
    '+1555/0100',
  ])('written %j is refused by name and never echoed', async (value) => {
    const { status, body } = await desk.create(withNumber(value));
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'Invalid request',
      message: 'phoneNumbers[0].value must be an E.164 phone number, like +15551234567',
    });
  });

  it('is primary when it says so, and the first one otherwise; there is one primary', async () => {
    const primaries = async (flags: (boolean | undefined)[]) =>
      (
        await desk.created({
          firstName: 'P',
          phoneNumbers: flags.map((isPrimary) => ({ value: newPhoneNumber(), isPrimary })),
        })
      ).phoneNumbers.map(({ isPrimary }) => isPrimary);
    expect(await primaries([undefined, undefined])).toEqual([true, false]);
    expect(await primaries([false, true, true])).toEqual([false, true, false]);
  });

  it('may not stand twice in one contact, however it is written', async () => {
    const { status, body } = await desk.create({
      firstName: 'P',
      phoneNumbers: [{ value: '+1 555 0200001' }, { value: '001-555-0200001' }],
    });
    expect(status).toBe(400);
    expect(body.message).toBe('phoneNumbers must not contain a number twice');
  });
});

describe('a phone number of the organization', () => {
  it('belongs to one contact: another, new or edited, gets a 409 that says whose it is', async () => {
    const value = newPhoneNumber();
    const { _id: holder } = await desk.created(withNumber(value));
    const { _id: other } = await desk.created({ firstName: 'Other' });
    for (const answer of [
      await desk.create(withNumber(value)),
      await desk.create(withNumber(`00${value.slice(1, 4)} ${value.slice(4)}`)),
      await desk.update(other, withNumber(value)),
      await desk.update(other, { phoneNumbers: [{ value: newPhoneNumber() }, { value }] }),
    ]) {
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 409, body: taken(holder) });
    }
    expect((await desk.read(other)).body.data.phoneNumbers).toEqual([]);
    expect(await desk.everything({ search: value })).toHaveLength(1);
  });

  it('leaves nothing of a refused contact: its other numbers stay free', async () => {
    const [value, free] = [newPhoneNumber(), newPhoneNumber()];
    await desk.created(withNumber(value));
    const both = { firstName: 'B', phoneNumbers: [{ value: free }, { value }] };
    expect((await desk.create(both)).status).toBe(409);
    expect((await desk.create(withNumber(free))).status).toBe(201);
  });

  it('is free in another organization', async () => {
    const value = newPhoneNumber();
    await desk.created(withNumber(value));
    expect((await (await newDesk(product)).create(withNumber(value))).status).toBe(201);
  });

  it('is free again once its contact is deleted', async () => {
    const value = newPhoneNumber();
    const { _id } = await desk.created(withNumber(value));
    await desk.remove(_id);
    const { _id: next } = await desk.created(withNumber(value));
    expect((await desk.create(withNumber(value))).body.contactId).toBe(next);
  });

  it('is free again once it is taken out of its contact', async () => {
    const [value, kept] = [newPhoneNumber(), newPhoneNumber()];
    const { _id } = await desk.created({ firstName: 'A', phoneNumbers: [{ value }, { value: kept }] });
    expect((await desk.update(_id, { phoneNumbers: [{ value: kept }] })).status).toBe(200);
    expect((await desk.create(withNumber(value))).status).toBe(201);
    expect((await desk.create(withNumber(kept))).body.contactId).toBe(_id);
    expect((await desk.update(_id, { phoneNumbers: [] })).status).toBe(200);
    expect((await desk.create(withNumber(kept))).status).toBe(201);
  });

  it('stays its contact’s through edits, moves and a new label', async () => {
    const value = newPhoneNumber();
    const { _id } = await desk.created(withNumber(value));
    expect((await desk.update(_id, { lastName: 'Edited' })).status).toBe(200);
    expect((await desk.update(_id, withNumber(value, { label: 'home' }))).status).toBe(200);
    expect((await desk.move(_id, { stage: 'Won' })).status).toBe(200);
    expect((await desk.create(withNumber(value))).body).toEqual(taken(_id));
  });

  it('can change places with another: the one gives up first, then takes', async () => {
    const [x, y, between] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()];
    const { _id: a } = await desk.created(withNumber(x));
    const { _id: b } = await desk.created(withNumber(y));
    expect((await desk.update(a, withNumber(y))).body).toEqual(taken(b));
    expect((await desk.update(a, withNumber(between))).status).toBe(200);
    expect((await desk.update(b, withNumber(x))).status).toBe(200);
    expect((await desk.update(a, withNumber(y))).status).toBe(200);
    expect((await desk.create(withNumber(x))).body.contactId).toBe(b);
    expect((await desk.create(withNumber(y))).body.contactId).toBe(a);
    expect((await desk.create(withNumber(between))).status).toBe(201);
  });
});
