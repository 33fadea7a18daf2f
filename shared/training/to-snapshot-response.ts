import { toMessageResponse } from '../conversations/to-message-response.ts';
import type { Attachments } from '../objects/objects.ts';
import type { TrainingSnapshot } from './snapshot.ts';

/** A snapshot with URLs for the files in its messages. */
export async function toSnapshotResponse(snapshot: TrainingSnapshot, objects: Attachments) {
  const messages = await Promise.all(snapshot.messages.map((message) => toMessageResponse(message, objects)));
  return { ...snapshot, messages };
}
