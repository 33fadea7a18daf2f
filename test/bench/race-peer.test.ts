import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cheapPasswords, type Product, password, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { call } from './api.ts';
import { type Dataset, newDataset } from './dataset.ts';
import type { Contestant } from './race/contestant.ts';
import { searchesOver } from './race/expected-boards.ts';
import type { Totals } from './race/peer/statements.ts';
import { startPeer } from './race/peer.ts';
import { findPostgres } from './race/postgres.ts';
import { boardRequest } from './race/requests.ts';

const postgres = await findPostgres();

interface Card {
  readonly fullName: string;
  readonly email: string | null;
  readonly phoneNumbers: readonly unknown[];
  readonly source: string | null;
  readonly owner: string | null;
  readonly lastMessageDirection: string | null;
}
interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

type Board = Record<string, { contacts: Card[]; total: number }>;

/** The part of a board that depends on neither times nor ids. */
function lasting(board: Board) {
  const entries = Object.entries(board).map(([stage, { contacts, total }]) => {
    const shown = contacts.map(({ fullName, email, phoneNumbers, source, owner, lastMessageDirection }) => {
      return { fullName, email, phoneNumbers, source, owner, lastMessageDirection };
    });
    return [stage, { contacts: shown, total }];
  });
  return Object.fromEntries(entries);
}

const kinds: readonly Totals[] = ['counted', 'kept'];
const number = '+12025550142';
let directory: string;
let product: Product;
let dataset: Dataset;
let configurationId: string;
let peers: readonly Contestant[] = [];

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
  peers = await Promise.all(
    kinds.map(async (totals) => {
      const peer = await startPeer({
        installation: postgres,
        directory: join(directory, totals),
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
      return peer;
    }),
  );
});

afterAll(async () => {
  await Promise.all(peers.map((peer) => peer.stop()));
  await product?.stop();
  await rm(directory ?? '', { recursive: true, force: true });
});

async function ofSwitchboard(search?: string): Promise<Board> {
  const { body } = boardRequest(search);
  const { token } = dataset.admin;
  return expectStatus(await product.call('list-contacts-by-stage', { token, body }), 200).data;
}

async function ofPeer(peer: Contestant, search?: string): Promise<Board> {
  return (await call<{ data: Board }>(peer.url(), boardRequest(search), peer.tokens.full)).data;
}

async function statusOf(peer: Contestant, request: Request, token = peer.tokens.full): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const { method, path, body } = request;
  return (await fetch(`${peer.url()}${path}`, { method, headers, body: JSON.stringify(body) })).status;
}

test('Both peers give the same board and the same contacts as Switchboard, to the letter', async () => {
  const board = await ofSwitchboard();
  expect(Object.values(board).reduce((sum, { total }) => sum + total, 0)).toBe(400);
  for (const peer of peers) {
    expect(await ofPeer(peer), peer.name).toEqual(board);
  }
});

test('Both peers find what Switchboard finds, in any case, and take no letter for a wildcard', async () => {
  const [first] = dataset.contacts;
  const whole = `${first?.firstName} ${first?.lastName}`;
  for (const search of [...Object.values(searchesOver(dataset.contacts)), 'MAR', 'ar', '%', '_', whole]) {
    const found = await ofSwitchboard(search);
    for (const peer of peers) {
      expect(await ofPeer(peer, search), `${peer.name}: ${search}`).toEqual(found);
    }
  }
});

test('The peers log in with the right password only, and show nothing without a token', async () => {
  const { email } = dataset.admin;
  const board = { method: 'POST', path: '/api/contacts', body: {} };
  for (const peer of peers) {
    const login = (sent: string) => ({
      method: 'POST',
      path: '/api/auth/login',
      body: { email, password: sent },
    });
    const { token } = await call<{ token: string }>(peer.url(), login(password));
    expect(await statusOf(peer, board, token)).toBe(200);
    expect(await statusOf(peer, login('wrong'))).toBe(401);
    expect(await statusOf(peer, board, 'wrong')).toBe(401);
  }
});

test('Both peers have the same board as Switchboard after creations, edits, moves, leads and texts', async () => {
  const { token } = dataset.admin;
  const [edited, moved, writer] = dataset.contacts.filter(({ phoneNumbers }) => phoneNumbers.length > 0);
  const known = writer?.phoneNumbers[0]?.value ?? '';
  const stageId = dataset.pipeline.stages.find(({ _id }) => _id !== moved?.stageId)?._id;
  const created = { firstName: 'Grace', lastName: 'Hopper', phoneNumbers: [{ value: '+998000000001' }] };
  const lead = { configurationId, firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
  const text = { To: number, Body: 'Hello', NumMedia: '0' };
  const receive = (body: object) => ({ method: 'POST', path: '/api/webhook/twilio/sms', body });
  const changes: readonly [string, Record<string, string>, Request][] = [
    ['create-contact', {}, { method: 'POST', path: '/api/contacts/create', body: created }],
    [
      'update-contact',
      { id: edited?._id ?? '' },
      { method: 'PUT', path: `/api/contacts/${edited?._id}`, body: { lastName: 'Edited' } },
    ],
    [
      'move-contact',
      { id: moved?._id ?? '' },
      { method: 'PUT', path: `/api/contacts/${moved?._id}/stage`, body: { stageId } },
    ],
    ...['+998000000002', known].map((phoneNumber): [string, Record<string, string>, Request] => [
      'receive-lead',
      {},
      { method: 'POST', path: '/api/webhook/outreach', body: { ...lead, phoneNumber } },
    ]),
    ['receive-sms', { provider: 'twilio' }, receive({ ...text, MessageSid: 'SM1', From: known })],
    ['receive-sms', { provider: 'twilio' }, receive({ ...text, MessageSid: 'SM2', From: '+998000000003' })],
  ];
  for (const [name, path, request] of changes) {
    const { status } = await product.call(name, { token, path, body: request.body });
    expect(status).toBeLessThan(300);
    for (const peer of peers) {
      expect(await statusOf(peer, request), `${peer.name}: ${name}`).toBe(status);
    }
  }

  for (const search of [undefined, 'edited']) {
    const board = lasting(await ofSwitchboard(search));
    for (const peer of peers) {
      expect(lasting(await ofPeer(peer, search)), peer.name).toEqual(board);
    }
  }
});

test('Both peers refuse a phone number that another contact has, as Switchboard does', async () => {
  const taken = dataset.contacts.find(({ phoneNumbers }) => phoneNumbers.length > 0)?.phoneNumbers[0]?.value;
  const body = { firstName: 'Twice', phoneNumbers: [{ value: taken }] };
  expect((await product.call('create-contact', { token: dataset.admin.token, body })).status).toBe(409);
  for (const peer of peers) {
    expect(await statusOf(peer, { method: 'POST', path: '/api/contacts/create', body })).toBe(409);
  }
});
