import { readFile } from 'node:fs/promises';
import { decodeTime, encodeTime } from 'ulid';
import { deliveryEnd, deliveryKey, type WebhookDelivery } from '../../shared/events/webhook-delivery.ts';
import { type Job, jobExpiry, jobKey, type ResultRow, resultKey } from '../../shared/jobs/job.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import type { HttpEvent } from '../../shared/kernel/http/http-event.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { packedRequest } from '../../shared/kernel/serve/deferred-request.ts';
import { after, day, hour, minute, second, type Timestamp, timestamp } from '../../shared/kernel/time.ts';
import { type SentMessage, sentMessageKey } from '../../shared/messages/sent-message.ts';
import { deadRequestKey, receiptKey, receiptsKeptFor } from '../../shared/messages/webhook-receipt.ts';
import {
  findRecipients,
  type NotificationContent,
  notifyActions,
} from '../../shared/notifications/notify.ts';
import { reportsTakenFor } from '../../shared/organizations/phone-assignments.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { toDigest } from '../../shared/table/digest.ts';
import type { LoadedTable } from './connection.ts';
import { type ContactEntry, writeContact } from './contact-story.ts';
import { openPast, type Past } from './past.ts';
import { scheduleText, type TextEntry } from './scheduled-text.ts';
import { followWorkflow, type WorkflowEntry } from './workflow-runs.ts';

/** A request of a user, or of somebody unknown. */
interface RequestEntry {
  /** The file of the operation under `functions/`. */
  readonly do: string;
  readonly at: Timestamp;
  readonly by?: string;
  /** Whether somebody joins the organization that was registered before. */
  readonly joins?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: { readonly role?: Role };
  readonly ids?: readonly (string | null)[];
}

/** A notification that a reader of the stream has stored: events of the past do not reach it. */
interface NotificationEntry {
  readonly notify: string;
  readonly event: string;
  readonly notification: NotificationContent;
}

/** A text on which the provider has yet to report. */
interface SentTextEntry {
  readonly sent: SentMessage;
  readonly providerMessageId: string;
}

/** The report of a text that could not be applied. Its time is fixed, because the id of its receipt has it. */
interface DeadReportEntry {
  readonly dead: string;
  readonly at: Timestamp;
  readonly requestId: string;
  readonly reported: { readonly MessageSid: string; readonly MessageStatus: string };
}

/** What became of an event of the past for a webhook endpoint. */
interface WebhookEntry {
  readonly webhook: WebhookDelivery;
}

/** A job with its results. */
interface JobEntry {
  readonly job: Job;
  readonly results: readonly ResultRow[];
}

type Entry =
  | RequestEntry
  | NotificationEntry
  | SentTextEntry
  | DeadReportEntry
  | WebhookEntry
  | JobEntry
  | ContactEntry
  | TextEntry
  | WorkflowEntry;

/** The past events, in the order in which they are replayed. */
interface Recording {
  readonly superadmin: readonly Entry[];
  /** To the demo organization. */
  readonly organization: readonly Entry[];
}

/**
 * Replays what `demo.json` has, as of now; without demo data, only the registration of the SUPERADMIN. One entry follows the other, so that
 * every replay writes the same records; several at a time would save a tenth of the time.
 */
export async function replay(
  loaded: LoadedTable,
  now: Date,
  { demo: isDemo, password }: { readonly demo: boolean; readonly password: string },
): Promise<void> {
  const { superadmin, organization } = await readRecording(now, password);
  const past = await openPast(loaded, now, rolesIn(organization));
  await replayAll(past, superadmin);
  await promote(past);
  await replayAll(past, isDemo ? organization : []);
}

/** When the recording was made: the ids in it have their times from then, and get those of the replay. */
const recordedAt = Date.parse('2026-01-31T00:00:00.000Z');

/** The beginning of ids that are the same in every fresh database; so are those in `demo-ids.ts`. */
const fixedTime = '01KF0E44M0';

/**
 * The recording with its placeholders filled in: `<-2d 03:00:00.000>` is a time before now, and `<rep>` the id of a demo record. They keep
 * the file readable.
 */
async function readRecording(now: Date, password: string): Promise<Recording> {
  const year = now.getUTCFullYear();
  const values: Readonly<Record<string, string>> = {
    ...demo,
    password,
    now: timestamp(now),
    year: String(year),
    nextYear: String(year + 1),
  };
  const named = Object.values(demo).join(' ');
  const moved = (id: string) =>
    id.startsWith(fixedTime) || named.includes(id)
      ? id
      : encodeTime(decodeTime(id) + now.getTime() - recordedAt, fixedTime.length) +
        id.slice(fixedTime.length);
  const filled = (text: string) =>
    text.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, moved).replace(/<([^<>]+)>/g, (placeholder, name: string) => {
      const value = values[name] ?? momentAt(name, now);
      if (value === undefined) {
        throw new Error(`The demo data have the unknown placeholder ${placeholder}.`);
      }
      return value;
    });
  const text = await readFile(new URL('demo.json', import.meta.url), 'utf8');
  return JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? filled(value) : value));
}

/** The time that is named like `-2d 03:00:00.000`. */
function momentAt(name: string, now: Date): Timestamp | undefined {
  const [, sign, days, hours, minutes, seconds] =
    /^([+-])(\d+)d (\d\d):(\d\d):(\d\d\.\d{3})$/.exec(name) ?? [];
  const distance =
    Number(days) * day +
    Number(hours) * hour +
    Number(minutes) * minute +
    Math.round(Number(seconds) * second);
  return sign && timestamp(after(now, sign === '-' ? -distance : distance));
}

/** The roles of those who have registered. */
function rolesIn(entries: readonly Entry[]): Map<string, Role> {
  return new Map(
    entries.flatMap((entry) => {
      const { ids = [], body: { role } = {}, joins = false } = entry as RequestEntry;
      const userId = ids[joins ? 0 : 1];
      return userId && role ? [[userId, role] as const] : [];
    }),
  );
}

/** Makes the SUPERADMIN one, which no operation does for the first. */
async function promote(past: Past): Promise<void> {
  const table = past.table(demo.platform);
  const user = await table.read(userKey(demo.superadmin));
  if (user !== undefined) {
    await table.commit([table.replace(user, { ...user.data, accessRole: 'SUPERADMIN' })]);
  }
}

async function replayAll(past: Past, entries: readonly Entry[]): Promise<void> {
  let token: string | undefined;
  for (const entry of entries) {
    if ('do' in entry) {
      const result = await past.run<{ token?: string } | undefined>(await operationIn(entry.do), {
        ...entry,
        at: new Date(entry.at),
        token: entry.joins ? token : undefined,
      });
      token ??= result?.token;
    } else if ('notify' in entry) {
      await notify(past, entry);
    } else if ('sent' in entry) {
      const key = sentMessageKey(toDigest(entry.providerMessageId));
      const options = { expiresAt: after(past.now, reportsTakenFor) };
      await past.platform.commit([past.platform.put(key, entry.sent, options)]);
    } else if ('dead' in entry) {
      await keepDeadReport(past, entry);
    } else if ('webhook' in entry) {
      const { endpointId, eventId } = entry.webhook;
      const table = past.table(demo.organization);
      const options = { expiresAt: deliveryEnd(eventId) };
      await table.commit([table.put(deliveryKey(endpointId, eventId), entry.webhook, options)]);
    } else if ('job' in entry) {
      const { job, results } = entry;
      const table = past.table(demo.organization);
      const options = { expiresAt: jobExpiry(job) };
      await table.commit([
        table.add(jobKey(job._id), job, options),
        ...results.map((result) => table.put(resultKey(job._id, result.row), result, options)),
      ]);
    } else if ('contact' in entry) {
      await writeContact(past, entry);
    } else if ('schedule' in entry) {
      await scheduleText(past, entry);
    } else {
      await followWorkflow(past, entry);
    }
  }
}

async function operationIn(file: string): Promise<Operation> {
  const { href } = new URL(`../../functions/${file}.ts`, import.meta.url);
  const { default: operation } = (await import(href)) as { default: Operation };
  return operation;
}

async function notify(past: Past, { notify: userId, event, notification }: NotificationEntry): Promise<void> {
  const table = past.table(demo.organization);
  await table.optimistically(async () => {
    const [recipient] = await findRecipients(table, [userId]);
    const at = new Date(notification.createdAt);
    await table.commit(notifyActions(table, notification, recipient ? [recipient] : [], event, at));
  });
}

async function keepDeadReport(
  past: Past,
  { dead: _id, at, requestId, reported }: DeadReportEntry,
): Promise<void> {
  const event: HttpEvent = {
    rawPath: '/api/webhook/twilio/status',
    headers: { 'content-type': 'application/json' },
    pathParameters: { provider: 'twilio' },
    body: JSON.stringify(reported),
    requestContext: {
      requestId,
      http: { method: 'POST', path: '/api/webhook/twilio/status', sourceIp: '192.0.2.1' },
    },
  };
  const packed = packedRequest({ route: 'POST /api/webhook/{provider}/status', receivedAt: at, event });
  const table = past.table(demo.organization);
  const expiresAt = after(past.now, receiptsKeptFor);
  const receipt = { provider: 'twilio', kind: 'status', status: 'dead', reason: 'given_up' } as const;
  await table.commit([
    table.put(receiptKey(_id), { _id, ...receipt, at }, { expiresAt }),
    table.put(deadRequestKey(_id), {}, { bytes: Buffer.from(packed, 'base64'), expiresAt }),
  ]);
}
