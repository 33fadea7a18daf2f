import { type Argon2id, nativeArgon2id, nodeArgon2id } from '../../shared/kernel/auth/argon2id.ts';
import { argon2Passwords } from '../../shared/kernel/auth/passwords.ts';
import { processorTime } from '../harness/processor-time.ts';
import { median, quantile, timed } from './figures.ts';
import { figure, textTable } from './table.ts';

interface MeasuredHash {
  readonly name: string;
  /** Milliseconds of each hash when no other one runs. */
  readonly samples: readonly number[];
  /** Milliseconds of processor time. */
  readonly processor: readonly number[];
  /** Hashes a second while 16 run at any time. */
  readonly perSecond: number;
}

const rounds = 40;
const batch = 64;
const atOnce = 16;

/** Verifies a password with each implementation in turn. */
export async function measureHashes(): Promise<MeasuredHash[]> {
  const stored = await argon2Passwords().hash('correct horse battery');
  const implementations: [string, Argon2id][] = [
    ['@node-rs/argon2', await nativeArgon2id()],
    ['node:crypto', nodeArgon2id],
  ];
  const measured = implementations.map(([name, derive]) => {
    const passwords = argon2Passwords(undefined, derive);
    const verify = () => passwords.verify('correct horse battery', stored);
    return { name, verify, samples: [] as number[], processor: [] as number[], perSecond: 0 };
  });
  for (let round = 0; round < rounds; round += 1) {
    for (const { verify, samples, processor } of measured) {
      processor.push(await processorTime(async () => samples.push((await timed(verify)).ms)));
    }
  }
  for (const one of measured) {
    let left = batch;
    const verifyAll = async () => {
      while (left > 0) {
        left -= 1;
        await one.verify();
      }
    };
    const { ms } = await timed(() => Promise.all(Array.from({ length: atOnce }, verifyAll)));
    one.perSecond = (batch * 1_000) / ms;
  }
  return measured;
}

export function hashTable(measured: readonly MeasuredHash[]): string {
  return textTable(
    ['argon2id of', 'p50 ms', 'p90 ms', 'processor ms', `per second, ${atOnce} at once`],
    measured.map(({ name, samples, processor, perSecond }) => [
      name,
      figure(median(samples), 1),
      figure(quantile(samples, 0.9), 1),
      figure(median(processor), 1),
      figure(perSecond),
    ]),
  );
}
