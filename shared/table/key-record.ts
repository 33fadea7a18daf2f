import { hkdfSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Failure } from '../kernel/failure.ts';
import type { Answer, InvocationScope, KeyedRequest } from '../kernel/ports.ts';
import { decrypted, encrypted, keyLength } from '../kernel/secrets/authenticated-cipher.ts';
import { after, epochSeconds, second, timestamp } from '../kernel/time.ts';
import { toDigest } from './digest.ts';
import type { Key } from './key.ts';
import type { Action, Change, TableWriter } from './table.ts';

/** What became of the requests with one key. Its attributes are native. */
export const idempotencyKey = (sender: string, keyDigest: string): Key<never> => ({
  partition: ['IDEMPOTENCY', sender],
  sort: ['KEY', keyDigest],
});

/** A part of a response that is too large for the record: as its native bytes. It is stored before the record names it. */
export const answerPartKey = (sender: string, runId: string, part: number): Key<object> => ({
  partition: ['IDEMPOTENCY', sender],
  sort: ['PART', runId, String(part)],
});

/** The largest response, in packed bytes, that the record holds, and the largest part of others. An item takes 400 KB. */
const largest = 300 * 1024;

/** A stored response, or the parts that it is in. */
type StoredAnswer = Answer | { readonly runId: string; readonly parts: number };

/** Milliseconds by which the clocks of two processes may differ. */
const clockDifference = second;

/** The key's record with the response; without one while the request is running. */
interface Attributes {
  readonly requestDigest: string;
  readonly answer?: Uint8Array;
  readonly takenBy?: string;
  readonly runsUntil?: string;
  readonly expiresAt: number;
}

/** The record of one request's key. */
export interface KeyRecord {
  readonly key: Key<never>;
  /** The run of the request; that of an earlier one which ended without a response, once that was found. */
  readonly runId: string;
  /**
   * The stored response; undefined if the request may run.
   * @throws a 422 `Failure` for a key of another request, a 409 while an equal request is running.
   */
  find(): Promise<Answer | undefined>;
  /** The response as the record takes it: sealed with the key. Stores the parts of a large one. */
  prepare(answer: Answer): Promise<Uint8Array>;
  /** The action that takes the key, if nobody has it: with the response, or without one while the request is running. */
  take(answer?: Uint8Array): Action;
  /** Takes the key by itself. */
  takeNow(answer?: Uint8Array): Promise<void>;
  /** The action that stores the response of the run that has taken the key. */
  answerAction(answer: Uint8Array): Action;
  /** Stores it by itself. */
  answer(answer: Uint8Array): Promise<void>;
  /** Frees the key that the run has taken. */
  free(): Promise<void>;
  /** Ends the run that has taken the key: an equal request may go on with it at once. */
  endRun(): Promise<void>;
}

export function keyRecord(
  table: TableWriter,
  {
    key: sent,
    digest,
    longestRun,
    sender,
    kept,
  }: KeyedRequest & { readonly sender: string; readonly kept: number },
  { now, newId }: Pick<InvocationScope, 'now' | 'newId'>,
): KeyRecord {
  const key = idempotencyKey(sender, toDigest(sent));
  let run = newId();
  // The key itself is stored nowhere: whoever reads the table, even after a deletion, cannot read what the responses said.
  const secret = Buffer.from(hkdfSync('sha256', sent, sender, 'answer to a request with a key', keyLength));
  const sealed = (answer: StoredAnswer) => encrypted(secret, deflateRawSync(JSON.stringify(answer)));
  const unsealed = <Opened extends StoredAnswer>(bytes: Uint8Array): Opened => {
    const text = decrypted(secret, bytes);
    if (text === undefined) {
      throw new Error('A stored response was sealed with another key');
    }
    return JSON.parse(inflateRawSync(text).toString());
  };
  const until = after(now, kept);
  const expiresAt = epochSeconds(until);
  const partKeys = (runId: string, count: number) =>
    Array.from({ length: count }, (_, part) => answerPartKey(sender, runId, part));

  const taking = (answer?: Uint8Array): Change => ({
    update: `SET requestDigest = :digest, expiresAt = :expiresAt, ${
      answer === undefined
        ? 'takenBy = :run, runsUntil = :until REMOVE answer'
        : 'answer = :answer REMOVE takenBy, runsUntil'
    }`,
    when: 'attribute_not_exists(pk) OR expiresAt <= :now OR (attribute_not_exists(answer) AND runsUntil <= :time)',
    values: {
      ...{ digest, expiresAt, now: epochSeconds(now), time: timestamp(now) },
      ...(answer === undefined
        ? { run, until: timestamp(after(now, longestRun + clockDifference)) }
        : { answer }),
    },
  });
  const own = () => ({ when: 'takenBy = :run', values: { run } });
  const answering = (answer: Uint8Array): Change => {
    const { when, values } = own();
    return { update: 'SET answer = :answer REMOVE takenBy, runsUntil', when, values: { ...values, answer } };
  };

  return {
    key,
    get runId() {
      return run;
    },

    async find() {
      const found = (await table.read(key))?.attributes as Attributes | undefined;
      if (found === undefined || found.expiresAt <= epochSeconds(now)) {
        return undefined;
      }
      const isRunning = found.answer === undefined;
      if (isRunning && (found.runsUntil ?? '') <= timestamp(now)) {
        run = (found.requestDigest === digest ? found.takenBy : undefined) ?? run;
        return undefined;
      }
      if (found.requestDigest !== digest) {
        throw new Failure(
          'IDEMPOTENCY_KEY_REUSED',
          'This Idempotency-Key belongs to another request. Use a new key for each request.',
        );
      }
      if (found.answer === undefined) {
        throw new Failure(
          'CONFLICT',
          'A request with this Idempotency-Key is still running. Send it again in a second.',
          { retryAfter: 1 },
        );
      }
      const stored = unsealed<StoredAnswer>(found.answer);
      if (!('parts' in stored)) {
        return stored;
      }
      const parts = await table.readMany(partKeys(stored.runId, stored.parts));
      return unsealed<Answer>(Buffer.concat(parts.map((part) => part?.attributes?.bytes as Uint8Array)));
    },

    async prepare({ status, body, kept: shown = body }) {
      const answer = sealed({ status, body: shown });
      if (answer.length <= largest) {
        return answer;
      }
      const parts = Array.from({ length: Math.ceil(answer.length / largest) }, (_, part) =>
        answer.subarray(part * largest, (part + 1) * largest),
      );
      const keys = partKeys(run, parts.length);
      await Promise.all(
        keys.map((partKey, part) =>
          table.commit([table.put(partKey, {}, { expiresAt: until, bytes: parts[part] as Uint8Array })]),
        ),
      );
      return sealed({ runId: run, parts: parts.length });
    },

    take: (answer) => table.updateAction(key, taking(answer)),

    async takeNow(answer) {
      await table.update(key, taking(answer));
    },

    answerAction: (answer) => table.updateAction(key, answering(answer)),

    async answer(answer) {
      await table.update(key, answering(answer));
    },

    async free() {
      await table.commit([table.delete(key, own())]);
    },

    async endRun() {
      const { when, values } = own();
      const ended = { ...values, now: timestamp(now) };
      await table.update(key, { update: 'SET runsUntil = :now', when, values: ended });
    },
  };
}
