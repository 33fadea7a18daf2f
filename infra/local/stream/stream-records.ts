import { region } from '../template/intrinsics.ts';

/** An item or its keys in DynamoDB's JSON, with binary in base64. */
type Image = Record<string, unknown>;

/** The change itself, the same in the stream and in the event of a function. */
interface Change {
  /** Seconds since 1970. */
  ApproximateCreationDateTime: number;
  Keys?: Image;
  NewImage?: Image;
  OldImage?: Image;
  SequenceNumber: string;
  SizeBytes?: number;
  StreamViewType?: string;
}

/** A record in the JSON of the stream. Readers share it, so it must not be modified. */
export interface WireRecord {
  readonly eventID?: string;
  readonly eventName?: string;
  readonly eventVersion?: string;
  /** Set when DynamoDB itself made the change. */
  readonly userIdentity?: unknown;
  readonly dynamodb: Readonly<Change>;
}

/** A record as a function gets it. */
export interface StreamRecord extends WireRecord {
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
}

/** The record that Lambda passes to a function; the change in it is exactly that of the stream. */
export function streamRecord(
  { userIdentity: _, ...record }: WireRecord,
  eventSourceARN: string,
): StreamRecord {
  return { ...record, eventSource: 'aws:dynamodb', awsRegion: region, eventSourceARN };
}
