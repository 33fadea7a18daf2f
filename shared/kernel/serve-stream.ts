import { type Packed, unpacked } from '../table/packing.ts';
import { described, newCall, type Providers, type Runtime, systemRuntime } from './runtime.ts';
import type { StreamOperation, TableChange } from './trigger.ts';

/** The part of a DynamoDB stream event that the kernel reads. */
export interface StreamEvent {
  Records: {
    dynamodb?: {
      SequenceNumber?: string;
      Keys?: Record<string, { S?: string }>;
      NewImage?: Record<string, { S?: string; B?: string }>;
    };
  }[];
}

/**
 * The Lambda handler of a stream consumer. A batch that fails is thrown back: the service halves it until the culprit
 * stands alone, retries that with bounds, and sets it aside in the failure queue. Whatever was done twice by then must
 * not matter.
 */
export function serveStream(
  name: string,
  operation: StreamOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event: StreamEvent) => Promise<void> {
  return async ({ Records: records }) => {
    const call = newCall(runtime, providers);
    try {
      await operation.run(records.map(changeOf), {
        ...call.ports(operation.uses, undefined),
        ...call.moment,
      });
      runtime.log({ level: 'info', operation: name, changes: records.length, ...call.consumed() });
    } catch (error) {
      runtime.log({
        level: 'error',
        operation: name,
        changes: records.length,
        ...call.consumed(),
        defect: described(error),
      });
      throw new Error(`${name} could not take this batch`);
    }
  };
}

function changeOf({ dynamodb }: StreamEvent['Records'][number]): TableChange {
  const image = dynamodb?.NewImage?.data;
  const data: Packed | undefined =
    image?.S ?? (image?.B === undefined ? undefined : Buffer.from(image.B, 'base64'));
  return {
    partition: dynamodb?.Keys?.pk?.S ?? '',
    sort: dynamodb?.Keys?.sk?.S ?? '',
    data: data === undefined ? undefined : unpacked(data),
  };
}
