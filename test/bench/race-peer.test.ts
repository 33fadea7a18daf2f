import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cheapPasswords, type Product, password, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { type Dataset, newDataset } from './dataset.ts';
import { type Contestant, call } from './race/contestant.ts';
import type { Totals } from './race/peer/statements.ts';
import { startPeer } from './race/peer.ts';
import { findPostgres } from './race/postgres.ts';
import { boardRequest } from './race/requests.ts';
import { searchesOver } from './race/truth.ts';

const postgres = await findPostgres();

interface Card {
  readonly fullName: string;
  readonly email: string | null;
  readonly phoneNumbers: readonly unknown[];
  readonly source: string | null;
  readonly owner: string | null;
  readonly lastMessageDirection: string | null;
}
type Board = Record<string, { contacts: Card[]; total: number }>;

/** What does not depend on when and under which id something was written. */
function lasting(board: Board) {
  const entries = Object.entries(board).map(([stage, { contacts, total }]) => {
    const shown = contacts.map(({ fullName, email, phoneNumbers, source, owner, lastMessageDirection }) => {
      return { fullName, email, phoneNumbers, source, owner, lastMessageDirection };
    });
    return [stage, { contacts: shown, total }];
  });
  return Object.fromEntries(entries);
}

describe.each<Totals>(['counted', 'kept'])('The peer whose totals are %s', (totals) => {
  let directory: string;
  let product: Product;
  let dataset: Dataset;
  let peer: Contestant;
  let configurationId: string;
  const number = '+12025550142';

  beforeEach(({ skip }) => {
    if (postgres === undefined) {
      skip('There is no PostgreSQL on this machine to race against.');
    }
  });

  beforeAll(async () => {
    if (postgres === undefined) {
      return;
    }
    product = await startProduct();
    dataset = await newDataset(product, 400, new Date());
    const { admin, pipeline, contacts } = dataset;
    const { token, organizationId, userId } = admin;
    const configured = await product.call('create-outreach-configuration', {
      token,
      body: { name: 'Website', source: 'Website' },
    });
    configurationId = expectStatus(configured, 201).data._id;
    const body = { userId, provider: 'twilio', phoneNumber: number };
    const assigned = await product.call('assign-phone-number', { token, path: { organizationId }, body });
    expectStatus(assigned, 201);

    directory = await mkdtemp(join(tmpdir(), 'race-test-'));
    await chmod(directory, 0o711);
    const passwordHash = await cheapPasswords.hash(password);
    peer = await startPeer({
      installation: postgres,
      directory: join(directory, 'cluster'),
      totals,
      ground: {
        organizations: [{ organizationId, pipelineId: pipeline._id, stages: pipeline.stages }],
        accounts: [{ userId, organizationId, email: admin.email, role: 'ADMIN', passwordHash }],
        configuration: { id: configurationId, organizationId },
        number: { value: number, organizationId, userId },
      },
      callers: { full: admin, empty: admin },
    });
    await peer.load(contacts);
  });

  afterAll(async () => {
    await peer?.stop();
    await product?.stop();
    await rm(directory ?? '', { recursive: true, force: true });
  });

  const ofSwitchboard = async (search?: string): Promise<Board> => {
    const { body } = boardRequest(search);
    const { token } = dataset.admin;
    return expectStatus(await product.call('list-contacts-by-stage', { token, body }), 200).data;
  };
  const ofPeer = async (search?: string): Promise<Board> =>
    (await call<{ data: Board }>(peer.url(), boardRequest(search), peer.tokens.full)).data;
  const statusOfPeer = async (method: string, path: string, body: unknown, token = peer.tokens.full) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    return (await fetch(`${peer.url()}${path}`, { method, headers, body: JSON.stringify(body) })).status;
  };

  test('gives the same board and the same contacts as Switchboard, to the letter', async () => {
    const board = await ofSwitchboard();
    expect(Object.values(board).reduce((sum, { total }) => sum + total, 0)).toBe(400);
    expect(await ofPeer()).toEqual(board);
  });

  test('finds what Switchboard finds, in any case, and takes no letter for a wildcard', async () => {
    const searches = Object.values(searchesOver(dataset.contacts));
    const [first] = dataset.contacts;
    for (const search of [...searches, 'MAR', 'ar', '%', '_', `${first?.firstName} ${first?.lastName}`]) {
      expect(await ofPeer(search), search).toEqual(await ofSwitchboard(search));
    }
  });

  test('logs in with the right password only, and shows nothing without a token', async () => {
    const { email } = dataset.admin;
    const login = (sent: string) => ({
      method: 'POST',
      path: '/api/auth/login',
      body: { email, password: sent },
    });
    const { token } = await call<{ token: string }>(peer.url(), login(password));
    expect(await statusOfPeer('POST', '/api/contacts', {}, token)).toBe(200);
    await expect(call(peer.url(), login('wrong'))).rejects.toThrow(/401/);
    expect(await statusOfPeer('POST', '/api/contacts', {}, 'wrong')).toBe(401);
  });

  test('has the same board as Switchboard after creations, edits, moves, leads and texts', async () => {
    const { token } = dataset.admin;
    const [edited, moved, writer] = dataset.contacts.filter(({ phoneNumbers }) => phoneNumbers.length > 0);
    const known = writer?.phoneNumbers[0]?.value ?? '';
    const stageId = dataset.pipeline.stages.find(({ _id }) => _id !== moved?.stageId)?._id;
    const created = { firstName: 'Grace', lastName: 'Hopper', phoneNumbers: [{ value: '+998000000001' }] };
    const lead = { configurationId, firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
    const text = { To: number, Body: 'Hello', NumMedia: '0' };
    const sms = { provider: 'twilio' };
    const changes = [
      ['create-contact', 'POST', '/api/contacts/create', {}, created],
      ['update-contact', 'PUT', `/api/contacts/${edited?._id}`, { id: edited?._id }, { lastName: 'Edited' }],
      ['move-contact', 'PUT', `/api/contacts/${moved?._id}/stage`, { id: moved?._id }, { stageId }],
      ['receive-lead', 'POST', '/api/webhook/outreach', {}, { ...lead, phoneNumber: '+998000000002' }],
      ['receive-lead', 'POST', '/api/webhook/outreach', {}, { ...lead, phoneNumber: known }],
      ['receive-sms', 'POST', '/api/webhook/twilio/sms', sms, { ...text, MessageSid: 'SM1', From: known }],
      [
        ...(['receive-sms', 'POST', '/api/webhook/twilio/sms', sms] as const),
        { ...text, MessageSid: 'SM2', From: '+998000000003' },
      ],
    ] as const;
    for (const [name, method, path, parameters, body] of changes) {
      const { status } = await product.call(name, { token, path: { ...parameters } as never, body });
      expect(await statusOfPeer(method, path, body), name).toBe(status);
      expect(status).toBeLessThan(300);
    }

    expect(lasting(await ofPeer())).toEqual(lasting(await ofSwitchboard()));
    expect(lasting(await ofPeer('edited'))).toEqual(lasting(await ofSwitchboard('edited')));
  });

  test('refuses a phone number that another contact has', async () => {
    const value = dataset.contacts.find(({ phoneNumbers }) => phoneNumbers.length > 0)?.phoneNumbers[0]
      ?.value;
    const body = { firstName: 'Twice', phoneNumbers: [{ value }] };
    expect(await statusOfPeer('POST', '/api/contacts/create', body)).toBe(409);
    expect((await product.call('create-contact', { token: dataset.admin.token, body })).status).toBe(409);
  });
});
