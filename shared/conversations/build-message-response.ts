import { type Downloads, urlLifetime } from '../kernel/providers/objects.ts';
import type { Message, MessageAttachment } from './conversation.ts';
import { countSegments } from './segments.ts';

/** A message with URLs for the files that a user uploaded. */
export async function buildMessageResponse(message: Message, objects: Downloads) {
  const attachments = message.attachments.map((attachment) => shownAttachment(attachment, objects));
  return { ...shownMessage(message), attachments: await Promise.all(attachments) };
}

/** A message whose files have their URLs, for a response. */
export function shownMessage({
  from: _,
  to: _______,
  retriedBy: __,
  movedIn: ___,
  inboundNumber: ____,
  causedBy: _____,
  callId: ______,
  replyIn: ________,
  ...message
}: Message) {
  const { failure = null, deliveredAt = null, retryOf = null, sendAt = null } = message;
  return {
    ...message,
    // The code of a failure from before there were codes is not known.
    failure: typeof failure === 'string' ? ({ code: 'UNKNOWN', reason: failure } as const) : failure,
    segments: segmentsIn(message),
    deliveredAt,
    retryOf,
    sendAt,
  };
}

function segmentsIn({ channel, content, attachments }: Omit<Message, 'from'>): number | null {
  if (channel !== 'sms') {
    return null;
  }
  return attachments.length > 0 ? 1 : countSegments(content);
}

async function shownAttachment(
  { key, ...file }: MessageAttachment,
  objects: Downloads,
): Promise<MessageAttachment> {
  return key === undefined
    ? file
    : { ...file, url: await attachmentUrl({ key, ...file }, objects, urlLifetime) };
}

/** A URL that downloads an uploaded file, valid for `seconds`. */
async function attachmentUrl(
  { key, name, type }: { key: string; name: string; type: string },
  objects: Downloads,
  seconds: number,
): Promise<string> {
  const relative = objects.relativeKey(key);
  return relative === undefined ? '' : objects.downloadUrl(relative, { name, type, seconds });
}
