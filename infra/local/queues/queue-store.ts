import { createHash, randomUUID } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { damaged } from '../data/unusable-data.ts';
import type { QueueCounts, QueuePlan, QueueStore, ReceivedMessage, ReceiveOptions } from './queue.ts';

interface Row {
  id: string;
  body: string;
  messageGroup: string | null;
  sentAt: number;
  receives: number;
  firstReceivedAt: number | null;
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY,
    queue TEXT NOT NULL,
    body TEXT NOT NULL,
    messageGroup TEXT,
    sentAt INTEGER NOT NULL,
    visibleAt INTEGER NOT NULL,
    receives INTEGER NOT NULL DEFAULT 0,
    firstReceivedAt INTEGER,
    receipt TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS byVisibility ON messages (queue, visibleAt);
  CREATE INDEX IF NOT EXISTS byAge ON messages (queue, sentAt);
  CREATE INDEX IF NOT EXISTS byGroup ON messages (queue, messageGroup);
`;

const nextMessages = `
  SELECT id, body, messageGroup, sentAt, receives, firstReceivedAt FROM messages
  WHERE queue = ? AND visibleAt <= ? ORDER BY visibleAt, rowid LIMIT ?`;

/**
 * The first message of each group of an ordered queue that may be received: a group has to wait while a message of it is being handled.
 * It looks at the groups one by one, and at no message that waits behind another, of which a group may have thousands.
 */
const heads = `
  WITH RECURSIVE groups (name) AS (
    SELECT MIN(messageGroup) FROM messages WHERE queue = ?2
    UNION ALL
    SELECT (SELECT MIN(messageGroup) FROM messages WHERE queue = ?2 AND messageGroup > name) FROM groups WHERE name IS NOT NULL
  )
  SELECT head.rowid, name, visibleAt FROM groups JOIN messages AS head ON head.rowid =
    (SELECT rowid FROM messages WHERE queue = ?2 AND messageGroup = name ORDER BY rowid LIMIT 1)
  WHERE visibleAt <= ?1 AND NOT EXISTS (
    SELECT 1 FROM messages INDEXED BY byVisibility
    WHERE queue = ?2 AND visibleAt > ?1 AND messageGroup = name AND receipt IS NOT NULL)`;

const nextOfGroup = `
  SELECT id, body, messageGroup, sentAt, receives, firstReceivedAt FROM messages
  WHERE queue = ?2 AND messageGroup = (SELECT name FROM (${heads}) ORDER BY rowid LIMIT 1)
  ORDER BY rowid LIMIT ?3`;

/**
 * Opens the store in `file`, or in memory. Messages that were being handled become visible at once: whoever received them has ended with
 * the process that used the file before. @throws when the file is no such store.
 */
export function openQueueStore(file: string | undefined, clock: () => number = Date.now): QueueStore {
  const database = open(file);
  database
    .prepare(
      'UPDATE messages SET visibleAt = ?1, receipt = NULL WHERE receipt IS NOT NULL AND visibleAt > ?1',
    )
    .run(clock());
  const plans = new Map<string, QueuePlan>();
  const listeners = new Map<string, Set<() => void>>();
  const prepared = new Map<string, StatementSync>();
  const run = (sql: string, ...values: (string | number | null)[]) => prepare(sql).run(...values);

  function prepare(sql: string): StatementSync {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  }

  function known(name: string): QueuePlan {
    const plan = plans.get(name);
    if (plan === undefined) {
      throw new Error(`There is no queue ${name}.`);
    }
    return plan;
  }

  function announce(name: string): void {
    for (const listener of listeners.get(name) ?? []) {
      listener();
    }
  }

  function together<Result>(work: () => Result): Result {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Takes messages; a message that was received too often goes to the dead-letter queue instead. */
  function take(
    { name, isOrdered, redrive, visibilityTimeout }: QueuePlan,
    options: ReceiveOptions,
  ): ReceivedMessage[] {
    const now = clock();
    const received: ReceivedMessage[] = [];
    for (;;) {
      const left = options.most - received.length;
      const found = isOrdered
        ? prepare(nextOfGroup).all(now, name, left)
        : prepare(nextMessages).all(name, now, left);
      const rows = found as unknown as Row[];
      let moved = 0;
      for (const row of rows) {
        if (redrive !== undefined && row.receives >= redrive.maxReceives) {
          run(
            'UPDATE messages SET queue = ?, visibleAt = ?, receipt = NULL WHERE id = ?',
            redrive.deadLetters,
            now,
            row.id,
          );
          moved += 1;
          continue;
        }
        const receipt = randomUUID();
        run(
          `UPDATE messages SET receipt = ?, visibleAt = ?, receives = receives + 1,
             firstReceivedAt = COALESCE(firstReceivedAt, ?) WHERE id = ?`,
          receipt,
          now + (options.visibilityTimeout ?? visibilityTimeout),
          now,
          row.id,
        );
        received.push({
          id: row.id,
          receipt,
          body: row.body,
          md5: md5(row.body),
          group: row.messageGroup ?? undefined,
          receives: row.receives + 1,
          sentAt: row.sentAt,
          firstReceivedAt: row.firstReceivedAt ?? now,
        });
      }
      if (moved === 0 || received.length === options.most) {
        return received;
      }
    }
  }

  return {
    define(wanted) {
      plans.clear();
      for (const plan of wanted) {
        plans.set(plan.name, plan);
      }
    },
    plan: (name) => plans.get(name),
    send(name, { body, group, delay }) {
      const { delay: usual } = known(name);
      const [id, now] = [randomUUID(), clock()];
      run(
        'INSERT INTO messages (id, queue, body, messageGroup, sentAt, visibleAt) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        name,
        body,
        group ?? null,
        now,
        now + (delay ?? usual),
      );
      announce(name);
      return id;
    },
    receive(name, options) {
      const plan = known(name);
      return together(() => {
        run('DELETE FROM messages WHERE queue = ? AND sentAt < ?', name, clock() - plan.retention);
        return take(plan, options);
      });
    },
    delete: (name, receipt) =>
      void run('DELETE FROM messages WHERE queue = ? AND receipt = ?', name, receipt),
    changeVisibility(name, receipt, timeout) {
      const { changes } = run(
        'UPDATE messages SET visibleAt = ? WHERE queue = ? AND receipt = ?',
        clock() + timeout,
        name,
        receipt,
      );
      announce(name);
      return changes > 0;
    },
    counts(name) {
      const row = prepare(
        `SELECT COALESCE(SUM(visibleAt <= ?1), 0) AS visible,
             COALESCE(SUM(visibleAt > ?1 AND receipt IS NOT NULL), 0) AS inFlight,
             COALESCE(SUM(visibleAt > ?1 AND receipt IS NULL), 0) AS delayed
           FROM messages WHERE queue = ?2`,
      ).get(clock(), name);
      return { ...row } as unknown as QueueCounts;
    },
    nextVisible(name) {
      const row = plans.get(name)?.isOrdered
        ? prepare(
            `SELECT MIN(at) AS at FROM (SELECT MIN(visibleAt) AS at FROM (${heads})
               UNION ALL SELECT MIN(visibleAt) FROM messages WHERE queue = ?2 AND visibleAt > ?1)`,
          ).get(clock(), name)
        : prepare('SELECT MIN(visibleAt) AS at FROM messages WHERE queue = ?').get(name);
      return (row?.at as number | null) ?? undefined;
    },
    onArrival(name, listener) {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listener));
      return () => void all.delete(listener);
    },
    close: () => database.close(),
  };
}

/** The digest that SQS returns, so that a client can check what has arrived. */
export function md5(body: string): string {
  return createHash('md5').update(body).digest('hex');
}

function open(file: string | undefined): DatabaseSync {
  try {
    const database = new DatabaseSync(file ?? ':memory:');
    database.exec(schema);
    return database;
  } catch {
    throw damaged(file ?? 'The queues in memory');
  }
}
