import { expect, test } from 'vitest';
import rotateRefreshKey from '../../functions/auth/rotate-refresh-key.ts';
import { createSigningSecret, signingKeys } from '../../shared/kernel/auth/signing-secret.ts';
import { type TokenSigner, tokenSigner } from '../../shared/kernel/auth/tokens.ts';
import { after, day, hour, minute } from '../../shared/kernel/time.ts';
import { secretInMemory } from './signing-secrets.ts';

const start = new Date('2026-03-01T12:00:00.000Z');
const position = { familyId: 'f', generation: 1, userId: 'u', organizationId: 'o' };

/** A deployment whose secret is looked at by the schedule, and by processes that may have read it a while ago. */
async function deployment() {
  const store = secretInMemory(await createSigningSecret(1, start));
  const newProcess = (): TokenSigner => tokenSigner(signingKeys(store));
  return {
    newProcess,
    process: newProcess(),
    secret: store.read.bind(store),
    async look(at: Date) {
      const context = { signingSecret: store, now: at };
      return (await rotateRefreshKey.run(context as never)).rotated;
    },
  };
}

test('The key of refresh tokens is replaced every 31 days, however often somebody looks', async () => {
  const { look } = await deployment();
  const rotations: number[] = [];
  for (let half = 0; half < 2 * 95; half += 1) {
    if ((await look(after(start, half * 12 * hour))) === 1) {
      rotations.push(half / 2);
    }
  }
  expect(rotations).toEqual([0, 31.5, 63, 94.5]);
});

test('A token of the key before refreshes for as long as it lives, and one of a key that was dropped does not', async () => {
  const { look, process } = await deployment();
  await look(start);
  const before = await process.refreshToken(position, after(start, 29 * minute));
  const last = await process.refreshToken(position, after(start, 31.5 * day));
  expect(await process.readRefreshToken(before, after(start, 30 * day))).toEqual(position);
  await look(after(start, 31.5 * day));
  const next = await process.refreshToken(position, after(start, 32 * day));
  expect(await process.readRefreshToken(before, after(start, 32 * day))).toBeUndefined();
  for (const token of [last, next]) {
    expect(await process.readRefreshToken(token, after(start, 61.5 * day))).toEqual(position);
  }
  await look(after(start, 63 * day));
  expect(await process.readRefreshToken(last, after(start, 63.1 * day))).toBeUndefined();
  expect(await process.readRefreshToken(next, after(start, 63.1 * day))).toEqual(position);
});

test('A token of a new key is understood by every process, also by one that has read the keys just before the rotation', async () => {
  const { look, newProcess } = await deployment();
  const [slow, quick] = [newProcess(), newProcess()];
  await slow.refreshToken(position, start);
  await look(start);
  for (const minutes of [0, 1, 4, 5, 29, 30, 31, 60]) {
    const at = after(start, minutes * minute);
    expect(await slow.readRefreshToken(await quick.refreshToken(position, at), at)).toEqual(position);
    expect(await quick.readRefreshToken(await slow.refreshToken(position, at), at)).toEqual(position);
  }
});

test('A secret of a deployment that never rotated it keeps its key, and every token of it', async () => {
  const { look, process, secret } = await deployment();
  const before = await secret();
  const token = await process.refreshToken(position, start);
  await look(after(start, day));
  expect((await secret())?.refreshKey).toBe(before?.refreshKey);
  expect(await process.readRefreshToken(token, after(start, 30 * day))).toEqual(position);
});
