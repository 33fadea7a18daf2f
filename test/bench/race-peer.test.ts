import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Product, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { call } from './api.ts';
import { type Dataset, newDataset } from './dataset.ts';
import type { Contestant, RacingOrganization } from './race/contestant.ts';
import { startPeer } from './race/peer.ts';
import { findPostgres } from './race/postgres.ts';
import { boardRequest, requestsAbout } from './race/requests.ts';

const postgres = await findPostgres();

interface Card {
  readonly fullName: string;
  readonly phoneNumbers: readonly unknown[];
  readonly owner: string | null;
  readonly lastMessageDirection: string | null;
}

type Board = Record<string, { contacts: Card[]; total: number }>;

let directory: string;
let product: Product;
let dataset: Dataset;
let organization: RacingOrganization;
let peer: Contestant;

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
  const number = '+12025550142';
  organization = {
    organizationId,
    adminId: userId,
    pipelineId: pipeline._id,
    stages: pipeline.stages,
    number,
  };
  const body = { userId, provider: 'twilio', phoneNumber: number };
  expectStatus(await product.call('assign-phone-number', { token, path: { organizationId }, body }), 201);
  directory = await mkdtemp(join(tmpdir(), 'race-test-'));
  await chmod(directory, 0o711);
  peer = await startPeer({ installation: postgres, directory: join(directory, 'peer'), organization });
  await peer.load(contacts);
});

afterAll(async () => {
  await peer?.stop();
  await product?.stop();
  await rm(directory ?? '', { recursive: true, force: true });
});

async function ofSwitchboard(search?: string): Promise<Board> {
  const { body } = boardRequest(search);
  const { token } = dataset.admin;
  return expectStatus(await product.call('list-contacts-by-stage', { token, body }), 200).data;
}

async function ofPeer(search?: string): Promise<Board> {
  return (await call<{ data: Board }>(peer.url(), boardRequest(search), peer.tokens[0])).data;
}

/** The part of a board that depends on neither times nor ids. */
function lasting(board: Board) {
  return Object.entries(board).map(([stage, { contacts, total }]) => {
    const shown = contacts.map(({ fullName, phoneNumbers, owner, lastMessageDirection }) => {
      return { fullName, phoneNumbers, owner, lastMessageDirection };
    });
    return { stage, total, shown };
  });
}

test('The peer gives the same board as Switchboard to the letter, and takes no letter of a search for a wildcard', async () => {
  const [first] = dataset.contacts;
  for (const search of [undefined, 'MAR', '%', '_', `${first?.firstName} ${first?.lastName}`, '99123']) {
    expect(await ofPeer(search), search).toEqual(await ofSwitchboard(search));
  }
});

test('The peer shows nothing without a token', async () => {
  await expect(call(peer.url(), boardRequest(), 'wrong')).rejects.toThrow('returned 401');
});

test('The peer has the same board as Switchboard after the changes that are raced', async () => {
  const { token } = dataset.admin;
  const requests = requestsAbout(organization, dataset.contacts);
  const sent = { create: requests.create(), move: requests.move(), text: requests.text() };
  const { create, move, text } = sent;
  const id = move.path.split('/')[3] ?? '';
  await product.call('create-contact', { token, body: create.body });
  await product.call('move-contact', { token, path: { id }, body: move.body });
  await product.call('receive-sms', { path: { provider: 'twilio' }, body: text.body });
  for (const request of Object.values(sent)) {
    await call(peer.url(), request, peer.tokens[0]);
  }
  expect(lasting(await ofPeer())).toEqual(lasting(await ofSwitchboard()));
});
