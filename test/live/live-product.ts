import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { streamReaders } from '../../infra/function-plan.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { eventAction, eventKeyFor, type NewEvent, type StoredEvent } from '../../shared/events/outbox.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import type { Sockets } from '../../shared/kernel/providers/sockets.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveQueue } from '../../shared/kernel/serve/serve-queue.ts';
import { serveSocket } from '../../shared/kernel/serve/serve-socket.ts';
import { serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { joined } from '../../shared/table/key.ts';
import { readAll } from '../../shared/table/read-all.ts';
import type { Product } from '../harness/product.ts';
import { queueEvent } from '../harness/queues.ts';
import { provideTestObjects } from '../harness/table-stream.ts';
import { readFrame } from './frame.ts';
import { recordingSockets } from './recording-sockets.ts';

/** The product in this process with its socket operations and stream consumers, over sockets that only remember. */
export async function liveProduct(product: Product) {
  const sockets = recordingSockets();
  const objects = await provideTestObjects(product);
  const providers = { ...product.providers, objects, sockets: () => sockets };
  const all = await loadOperations();
  const happened = new Map<string, { organizationId: string; event: StoredEvent }>();

  /** The log lines of the functions that deliver events, newest last. */
  const deliveryLog: Record<string, unknown>[] = [];

  const socketCall = (
    on: string,
    event: { connectionId: string; token?: string | undefined; body?: string; at?: Date | undefined },
  ) => {
    const operation = ofKind(all, 'socket').find((entry) => entry.operation.on === on);
    if (operation === undefined) {
      throw new Error(`There is no socket route ${on}`);
    }
    const { connectionId, token, body = '', at } = event;
    return serveSocket(
      operation.name,
      operation.operation,
      providers,
      runtimeAt(at),
    )({
      requestContext: { connectionId, requestId: randomUUID(), routeKey: on },
      ...(token === undefined ? {} : { queryStringParameters: { token } }),
      body,
    });
  };

  const queue = product.queues.liveEvents;

  /** The functions that read the stream. */
  const readers = (at?: Date) =>
    streamReaders(all).map(({ name, operations: run }) => ({
      name,
      handle: serveStream(
        run.map(({ name: operation, operation: definition }) => ({
          ...{ name: operation, operation: definition },
          providers: name === 'live-changes' ? { ...providers, queue: () => queue } : providers,
        })),
        runtimeAt(at),
      ),
    }));

  const streamCall = async (change: 'INSERT' | 'REMOVE', changed: Changed[], at?: Date) => {
    const records = changed.map((one) => ({ eventName: change, ...one }));
    for (const { handle } of readers(at)) {
      const { batchItemFailures } = await handle({ Records: records });
      if (batchItemFailures.length > 0) {
        throw new Error(`Of the changes ${JSON.stringify(records)} not all were taken`);
      }
    }
  };

  /** Hands all that waits in the queue to its consumer, one by one, and again what it fails on. How often it ran. */
  async function work({ at, sentAt = at, through = () => sockets }: Working = {}): Promise<number> {
    const consumer = ofKind(all, 'orderedQueue').find(({ operation }) => operation.queue === 'liveEvents');
    if (consumer === undefined) {
      throw new Error('Nobody delivers events');
    }
    const log = (line: Record<string, unknown>) => void deliveryLog.push(line);
    const handle = serveQueue(
      consumer.name,
      consumer.operation,
      { ...providers, sockets: through, queue: () => queue },
      { ...runtimeAt(at), log },
    );
    let invocations = 0;
    for (const { body } of queue.take()) {
      const event = queueEvent([body], 1, sentAt);
      for (let failed = true; failed; invocations += 1) {
        failed = (await handle(event)).batchItemFailures.length > 0;
        if (failed && invocations === maxInvocations) {
          throw new Error(`The events were not delivered: ${JSON.stringify(deliveryLog.at(-1))}`);
        }
      }
    }
    return invocations;
  }

  const recordsOf = (ids: readonly string[]) =>
    ids.map((id) => {
      const of = happened.get(id);
      const { partition, sort } = eventKeyFor(id);
      return record(['ORG', of?.organizationId ?? '', ...partition], sort, of?.event);
    });

  /** Writes so many events of one moment, all of them together; their ids. */
  async function happenTogether(organizationId: string, event: NewEvent, count: number, at?: Date) {
    const { table, newId, now } = momentOf(product, organizationId, at);
    const ids = Array.from({ length: count }, newId);
    await table.commit(ids.map((id) => eventAction(table, event, id, now)));
    for (const [index, stored] of (await readAll(table, ids.map(eventKeyFor))).entries()) {
      if (stored === undefined) {
        throw new Error('The event was not written');
      }
      happened.set(ids[index] ?? '', { organizationId, event: stored.data });
    }
    return ids;
  }

  return {
    product,
    sockets,
    /** Opens a connection with a socket token; its id, and the status of the handshake. */
    async connect(token: string | undefined, at?: Date) {
      const id = randomUUID();
      const { statusCode } = await socketCall('$connect', { connectionId: id, token, at });
      return { id, status: statusCode };
    },
    async disconnect(connectionId: string) {
      return (await socketCall('$disconnect', { connectionId })).statusCode;
    },
    /** Sends a frame; the one that answers. */
    async send(connectionId: string, frame: { action: string; [field: string]: unknown }, at?: Date) {
      const { body } = await socketCall(frame.action, { connectionId, body: JSON.stringify(frame), at });
      return body === undefined ? undefined : readFrame(body);
    },
    /** Writes an event as an operation does, beside its cause; its id. */
    happen: async (organizationId: string, event: NewEvent, at?: Date) =>
      (await happenTogether(organizationId, event, 1, at))[0] ?? '',
    happenTogether,
    /** Writes an event for each of these moments, all of them together. */
    async happenOften(organizationId: string, event: NewEvent, moments: readonly Date[]) {
      const actions = moments.map((at) => {
        const { table, newId, now } = momentOf(product, organizationId, at);
        return eventAction(table, event, newId(), now);
      });
      const { table } = momentOf(product, organizationId);
      for (let from = 0; from < actions.length; from += maxActions) {
        await table.commit(actions.slice(from, from + maxActions));
      }
    },
    /** Hands these events over from the stream, and delivers them. How often the function that delivers ran. */
    async deliver(ids: readonly string[], at?: Date, working: Working = {}) {
      await streamCall('INSERT', recordsOf(ids), at);
      return work({ ...(at && { at }), ...working });
    },
    /** Hands these events over from the stream; they wait in the queue. */
    handOver: (ids: readonly string[]) => streamCall('INSERT', recordsOf(ids)),
    work,
    /** The table's capacity that the last delivery of events consumed. */
    consumed: () => deliveryLog.at(-1) as unknown as Consumption,
    /** Tells the stream consumers of a removal. */
    removed: (partition: readonly string[], sort: readonly string[]) =>
      streamCall('REMOVE', [record(partition, sort)]),
  };
}

/** How often the function that delivers events tries. */
const maxInvocations = 3;

interface Working {
  readonly at?: Date | undefined;
  /** When the messages were sent. */
  readonly sentAt?: Date | undefined;
  readonly through?: () => Sockets;
}

/** The most actions of a transaction. */
const maxActions = 100;

interface Changed {
  dynamodb: { Keys: { pk: { S: string }; sk: { S: string } }; NewImage?: { data: { S: string } } };
}

function record(partition: readonly string[], sort: readonly string[], data?: unknown): Changed {
  const Keys = { pk: { S: joined(partition) }, sk: { S: joined(sort) } };
  return {
    dynamodb: { Keys, ...(data === undefined ? {} : { NewImage: { data: { S: JSON.stringify(data) } } }) },
  };
}

function momentOf(product: Product, organizationId: string, at = new Date()) {
  const { table } = product.tableOf(organizationId);
  return { table, now: at, newId: () => ulid(at.getTime(), Math.random) };
}

function runtimeAt(at: Date | undefined): Runtime {
  return { ...systemRuntime, clock: () => at ?? new Date(), log: logDefect };
}

/** A defect of a socket operation is only told to its client as an error; a batch thrown back rejects by itself. */
function logDefect(line: Record<string, unknown>): void {
  if (line.status === 500) {
    console.error(JSON.stringify(line, null, 2));
  }
}

/** An event for everybody in the organization. */
export const workflowToggled = {
  event: 'workflow_updated',
  data: {
    workflowId: '01JD8Z3V5Q6M7N8P9R0S1T2V3W',
    userId: '01JD8Z40A1B2C3D4E5F6G7H8J9',
    change: 'toggled',
    name: 'Follow up',
    enabled: true,
    updatedAt: '2026-03-04T12:00:00.000Z',
  },
  audience: { kind: 'organization' },
} as const satisfies NewEvent;
