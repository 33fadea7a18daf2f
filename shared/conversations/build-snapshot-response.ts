import type { Attachments } from '../kernel/providers/objects.ts';
import { buildMessageResponse } from './build-message-response.ts';
import type { TrainingSnapshot } from './snapshot.ts';

/** A snapshot with URLs for the files in its messages. */
export async function buildSnapshotResponse(snapshot: TrainingSnapshot, objects: Attachments) {
  const messages = await Promise.all(
    snapshot.messages.map((message) => buildMessageResponse(message, objects)),
  );
  return { ...snapshot, messages };
}
