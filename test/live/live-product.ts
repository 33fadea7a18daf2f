import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { streamReaders } from '../../infra/function-plan.ts';
import { ofKind, operations } from '../../infra/registry.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/invocation.ts';
import { serveSocket } from '../../shared/kernel/serve-socket.ts';
import { serveStream } from '../../shared/kernel/serve-stream.ts';
import { hourOf } from '../../shared/kernel/time.ts';
import type { StoredEvent } from '../../shared/live/outbox.ts';
import { eventKey, eventStep, type NewEvent } from '../../shared/live/outbox.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { joined } from '../../shared/table/key.ts';
import { type Person, type Product, startProduct } from '../harness/product.ts';
import { type Frame, readFrame } from './frame.ts';
import { type RecordingSockets, recordingSockets } from './recording-sockets.ts';

/** The product in this process with its socket operations and stream consumers, over sockets that only remember. */
export interface LiveProduct {
  readonly product: Product;
  readonly sockets: RecordingSockets;
  /** Opens a connection with a socket token; its id, and the status of the handshake. */
  connect(token: string, at?: Date): Promise<{ id: string; status: number }>;
  disconnect(connectionId: string): Promise<number>;
  /** Sends a frame; the one that answers. */
  send(
    connectionId: string,
    frame: { action: string; [field: string]: unknown },
    at?: Date,
  ): Promise<Frame | undefined>;
  /** Writes an event as an operation does, beside its cause; its id. */
  happen(organizationId: string, event: NewEvent, at?: Date): Promise<string>;
  /** Writes an event for each of these moments, all of them together. */
  happenOften(organizationId: string, event: NewEvent, moments: readonly Date[]): Promise<void>;
  /** Hands these events of an organization to the stream consumer; rejects when it throws the batch back. */
  deliver(organizationId: string, ids: readonly string[], at?: Date): Promise<void>;
  /** Tells the stream consumers of a removal. */
  removed(partition: readonly string[], sort: readonly string[]): Promise<void>;
  disable(person: Person): Promise<void>;
}

export async function startLiveProduct(): Promise<LiveProduct> {
  const product = await startProduct();
  const sockets = recordingSockets();
  const providers = { ...product.providers, sockets: () => sockets };
  const all = await operations();
  const happened = new Map<string, StoredEvent>();

  const socketCall = (
    on: string,
    event: { connectionId: string; token?: string; body?: string; at?: Date },
  ) => {
    const operation = ofKind(all, 'socket').find((one) => one.operation.on === on);
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

  const streamCall = async (change: 'INSERT' | 'REMOVE', changed: Changed[], at?: Date) => {
    const records = changed.map((one) => ({ eventName: change, ...one }));
    for (const { operations: run } of streamReaders(all)) {
      const served = run.map(({ name, operation }) => ({ name, operation, providers }));
      const { batchItemFailures } = await serveStream(served, runtimeAt(at))({ Records: records });
      if (batchItemFailures.length > 0) {
        throw new Error(`Of the changes ${JSON.stringify(records)} not all were taken`);
      }
    }
  };

  return {
    product,
    sockets,
    async connect(token, at) {
      const id = randomUUID();
      const { statusCode } = await socketCall('$connect', { connectionId: id, token, ...(at && { at }) });
      return { id, status: statusCode };
    },
    async disconnect(connectionId) {
      return (await socketCall('$disconnect', { connectionId })).statusCode;
    },
    async send(connectionId, frame, at) {
      const { body } = await socketCall(frame.action, {
        connectionId,
        body: JSON.stringify(frame),
        ...(at && { at }),
      });
      return body === undefined ? undefined : readFrame(body);
    },
    async happen(organizationId, event, at) {
      const { table, newId, now } = momentOf(product, organizationId, at);
      const id = newId();
      await table.commit([eventStep(table, event, id, now)]);
      const stored = await table.read(eventKey(hourOf(now), id));
      if (stored === undefined) {
        throw new Error('The event was not written');
      }
      happened.set(id, stored.data);
      return id;
    },
    async happenOften(organizationId, event, moments) {
      const steps = moments.map((at) => {
        const { table, newId, now } = momentOf(product, organizationId, at);
        return eventStep(table, event, newId(), now);
      });
      const { table } = momentOf(product, organizationId);
      for (let from = 0; from < steps.length; from += mostSteps) {
        await table.commit(steps.slice(from, from + mostSteps));
      }
    },
    deliver(organizationId, ids, at) {
      const records = ids.map((id) => {
        const event = happened.get(id);
        const { partition, sort } = eventKey(hourOf(new Date(event?.at ?? '')), id);
        return record(['ORG', organizationId, ...partition], sort, event);
      });
      return streamCall('INSERT', records, at);
    },
    removed: (partition, sort) => streamCall('REMOVE', [record(partition, sort)]),
    async disable({ organizationId, userId }) {
      const { table } = product.tableOf(organizationId);
      const stored = await table.read(userKey(userId));
      if (stored === undefined) {
        throw new Error('There is no such user');
      }
      await table.commit([table.replace(stored, { ...stored.data, disabled: true })]);
    },
  };
}

/** What a transaction takes. */
const mostSteps = 100;

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
