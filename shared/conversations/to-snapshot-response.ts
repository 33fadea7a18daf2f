import type { Attachments } from '../kernel/providers/objects.ts';
import type { TrainingSnapshot } from './snapshot.ts';
import { toMessageResponse } from './to-message-response.ts';

/** A snapshot with URLs for the files in its messages. */
export async function toSnapshotResponse(snapshot: TrainingSnapshot, objects: Attachments) {
  const messages = await Promise.all(snapshot.messages.map((message) => toMessageResponse(message, objects)));
  return { ...snapshot, messages };
}
