import { type Packed, unpacked } from '../packing.ts';
import { changeKinds, type StreamOperation, type TableChange } from '../trigger.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { served } from './served.ts';

/** The part of a DynamoDB stream event that the kernel reads. */
export interface StreamEvent {
  Records: {
    eventName?: string;
    dynamodb?: {
      SequenceNumber?: string;
      Keys?: Record<string, { S?: string }>;
      NewImage?: Image;
      OldImage?: Image;
    };
  }[];
}

type Image = Record<string, { S?: string; B?: string; N?: string }>;

type StreamRecord = StreamEvent['Records'][number];

/** An operation that reads changes, with its name and the providers of its own ports. */
export interface ServedStreamOperation {
  readonly name: string;
  readonly operation: StreamOperation;
  readonly providers: Providers;
}

/** Names the first change that is to be delivered again; none when every operation took all of them. */
export interface StreamResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * The Lambda handler of a reader of the stream. Each operation gets the changes it asks for, in order, and runs whether or not
 * others fail. A change that one of them fails on is delivered again with all that follow; the others may then get changes twice,
 * and must tolerate it. If it is the first change of the batch, the whole batch fails: the platform halves it until the change is
 * alone, retries it a few times, and moves it to the bucket for failed batches.
 */
export function serveStream(
  operations: readonly ServedStreamOperation[],
  runtime: Runtime = systemRuntime,
): (event: StreamEvent, context?: unknown) => Promise<StreamResult> {
  return async ({ Records: records }, context) => {
    const changeIn = decodedOnce();
    const failed = (
      await Promise.all(
        operations.map(async (operation) => {
          const matching = records.filter((record) => isFor(operation.operation, record));
          return matching.length === 0 || (await takes(operation, runtime, changeIn)(matching, context))
            ? []
            : { name: operation.name, first: matching[0] };
        }),
      )
    ).flat();
    // All operations took the changes before it.
    const first = records.find((record) => failed.some((failure) => failure.first === record));
    if (first === undefined) {
      return { batchItemFailures: [] };
    }
    if (first === records[0]) {
      // A result that names the first change would not make the platform halve the batch.
      throw new Error(`${failed.map(({ name }) => name).join(', ')} could not take this batch`);
    }
    return { batchItemFailures: [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] };
  };
}

function takes(
  { name, operation, providers }: ServedStreamOperation,
  runtime: Runtime,
  changeIn: (record: StreamRecord) => TableChange,
) {
  return served<readonly StreamRecord[], boolean>(
    { name, providers, runtime },
    {
      async run(records, { clock, ports, note }) {
        note({ changes: records.length });
        const changes = records.map(changeIn);
        const report = await operation.run(changes, { ...ports(operation.uses), ...clock });
        note(report ?? {});
        return true;
      },
      recover: () => false,
    },
  );
}

function isFor(operation: StreamOperation, { eventName, dynamodb }: StreamRecord): boolean {
  const { sortPrefix, partitionPrefix = '' } = operation.on;
  return (
    changeKinds(operation).some((change) => change === eventName) &&
    dynamodb?.Keys?.sk?.S?.startsWith(sortPrefix) === true &&
    dynamodb.Keys.pk?.S?.startsWith(partitionPrefix) === true
  );
}

/** Decodes each record of a batch once, although several operations may ask for it. */
function decodedOnce(): (record: StreamRecord) => TableChange {
  const changes = new Map<StreamRecord, TableChange>();
  return (record) => {
    const change = changes.get(record) ?? changeOf(record);
    changes.set(record, change);
    return change;
  };
}

function changeOf({ dynamodb }: StreamRecord): TableChange {
  const [partition, sort] = [dynamodb?.Keys?.pk?.S ?? '', dynamodb?.Keys?.sk?.S ?? ''];
  const { NewImage = {}, OldImage = {} } = dynamodb ?? {};
  // Unpacked only when asked for: most readers never look at the record before the change.
  return {
    partition,
    sort,
    data: dataIn(NewImage),
    get before() {
      return dataIn(OldImage);
    },
    attributes: attributesIn(NewImage),
  };
}

function dataIn({ data: image }: Image): unknown {
  const data: Packed | undefined =
    image?.S ?? (image?.B === undefined ? undefined : Buffer.from(image.B, 'base64'));
  return data === undefined ? undefined : unpacked(data);
}

function attributesIn(image: Image): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(image).flatMap(([name, { S, N }]) => {
      const value = N === undefined ? S : Number(N);
      return value === undefined || name === 'data' ? [] : [[name, value]];
    }),
  );
}
