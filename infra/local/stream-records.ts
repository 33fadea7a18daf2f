import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import { region } from './intrinsics.ts';

/** A change of a table as a function gets it. */
export interface StreamRecord {
  eventID: string | undefined;
  eventName: string | undefined;
  eventVersion: string | undefined;
  eventSource: 'aws:dynamodb';
  awsRegion: string;
  eventSourceARN: string;
  dynamodb: {
    /** Seconds since 1970. */
    ApproximateCreationDateTime: number;
    Keys?: Image;
    NewImage?: Image;
    OldImage?: Image;
    SequenceNumber: string;
    SizeBytes: number | undefined;
    StreamViewType: string | undefined;
  };
}

type Image = Record<string, unknown>;

/** Converts a record of a stream as Lambda does: binary in base64, times in seconds. */
export function streamRecord(record: _Record, eventSourceARN: string): StreamRecord {
  const { Keys, NewImage, OldImage, ...change } = record.dynamodb ?? {};
  return {
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion,
    eventSource: 'aws:dynamodb',
    awsRegion: region,
    eventSourceARN,
    dynamodb: {
      ApproximateCreationDateTime: (change.ApproximateCreationDateTime?.getTime() ?? 0) / 1000,
      ...(Keys && { Keys: image(Keys) }),
      ...(NewImage && { NewImage: image(NewImage) }),
      ...(OldImage && { OldImage: image(OldImage) }),
      SequenceNumber: change.SequenceNumber ?? '',
      SizeBytes: change.SizeBytes,
      StreamViewType: change.StreamViewType,
    },
  };
}

function image(attributes: Record<string, AttributeValue>): Image {
  return withBase64(attributes) as Image;
}

function withBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  if (Array.isArray(value)) {
    return value.map(withBase64);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withBase64(inner)]));
}
