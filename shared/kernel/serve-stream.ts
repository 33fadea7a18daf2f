import { type Packed, unpacked } from '../packing.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { served } from './served.ts';
import type { StreamOperation, TableChange } from './trigger.ts';

/** The part of a DynamoDB stream event that the kernel reads. */
export interface StreamEvent {
  Records: {
    eventName?: string;
    dynamodb?: {
      SequenceNumber?: string;
      Keys?: Record<string, { S?: string }>;
      NewImage?: Record<string, { S?: string; B?: string }>;
    };
  }[];
}

type StreamRecord = StreamEvent['Records'][number];

/** An operation that is told of changes, with its name and the providers of its own ports. */
export interface ServedStreamOperation {
  readonly name: string;
  readonly operation: StreamOperation;
  readonly providers: Providers;
}

/** Names the change from which on the batch is to come again; none when all of it was taken. */
export interface StreamResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * The Lambda handler of a reader of the stream. Each operation gets the changes that it asks for, in order, and runs whatever
 * becomes of the others. What one of them could not take comes again with all that follows it; so the others may be told twice of
 * what they have taken, and that must not matter. When the batch begins with it, the batch is thrown back: the service halves it
 * until the culprit stands alone, retries that with bounds, and sets it aside in the failure queue.
 */
export function serveStream(
  operations: readonly ServedStreamOperation[],
  runtime: Runtime = systemRuntime,
): (event: StreamEvent) => Promise<StreamResult> {
  return async ({ Records: records }) => {
    const failed = (
      await Promise.all(
        operations.map(async (one) => {
          const own = records.filter((record) => isFor(one.operation, record));
          return own.length === 0 || (await takes(one, runtime)(own))
            ? []
            : { name: one.name, first: own[0] };
        }),
      )
    ).flat();
    // Those before it have been taken by all.
    const first = records.find((record) => failed.some((one) => one.first === record));
    if (first === undefined) {
      return { batchItemFailures: [] };
    }
    if (first === records[0]) {
      // An answer that names the first change would not make the service halve the batch.
      throw new Error(`${failed.map(({ name }) => name).join(', ')} could not take this batch`);
    }
    return { batchItemFailures: [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] };
  };
}

/** Whether the operation took all of its changes. */
function takes({ name, operation, providers }: ServedStreamOperation, runtime: Runtime) {
  return served<readonly StreamRecord[], boolean>(
    { name, providers, runtime },
    {
      async run(records, { clock, ports, note }) {
        note({ changes: records.length });
        await operation.run(records.map(changeOf), { ...ports(operation.uses), ...clock });
        return true;
      },
      recover: () => false,
    },
  );
}

function isFor({ on }: StreamOperation, { eventName, dynamodb }: StreamRecord): boolean {
  return eventName === on.change && dynamodb?.Keys?.sk?.S?.startsWith(on.sortPrefix) === true;
}

function changeOf({ dynamodb }: StreamRecord): TableChange {
  const image = dynamodb?.NewImage?.data;
  const data: Packed | undefined =
    image?.S ?? (image?.B === undefined ? undefined : Buffer.from(image.B, 'base64'));
  return {
    partition: dynamodb?.Keys?.pk?.S ?? '',
    sort: dynamodb?.Keys?.sk?.S ?? '',
    data: data === undefined ? undefined : unpacked(data),
  };
}
