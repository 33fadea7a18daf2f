import { region } from '../template/intrinsics.ts';

/** An item or its keys in DynamoDB's JSON, with binary in base64. */
type Image = Record<string, unknown>;

/** What has changed, as the stream has it and as a function gets it. */
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

/** A record in the JSON of the stream. Readers share it: it is never changed. */
export interface WireRecord {
  readonly eventID?: string;
  readonly eventName?: string;
  readonly eventVersion?: string;
  /** Who has changed it when that was DynamoDB itself. */
  readonly userIdentity?: unknown;
  readonly dynamodb: Readonly<Change>;
}

/** A change of a table as a function gets it. */
export interface StreamRecord extends WireRecord {
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
}

/** What Lambda makes of a record: the change itself is the same to the letter. */
export function streamRecord(
  { userIdentity: _, ...record }: WireRecord,
  eventSourceARN: string,
): StreamRecord {
  return { ...record, eventSource: 'aws:dynamodb', awsRegion: region, eventSourceARN };
}
