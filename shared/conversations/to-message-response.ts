import type { Attachments, Downloads } from '../objects/objects.ts';
import { urlLifetime } from '../uploads/attachments.ts';
import type { Message, MessageAttachment } from './conversation.ts';

/** A message with URLs for the files that a user uploaded. */
export async function toMessageResponse(message: Message, objects: Attachments): Promise<Message> {
  const { failure: _, inboundNumber: __, attachments, ...rest } = message;
  return { ...rest, attachments: await Promise.all(attachments.map((one) => shownAttachment(one, objects))) };
}

async function shownAttachment(
  { key, ...file }: MessageAttachment,
  objects: Attachments,
): Promise<MessageAttachment> {
  return key === undefined
    ? file
    : { ...file, url: await attachmentUrl({ key, ...file }, objects, urlLifetime) };
}

/** A URL that downloads an uploaded file for so many seconds. */
export async function attachmentUrl(
  { key, name, type }: { key: string; name: string; type: string },
  objects: Downloads,
  seconds: number,
): Promise<string> {
  const relative = objects.relativeKey(key);
  return relative === undefined ? '' : objects.downloadUrl(relative, { name, type, seconds });
}
