import * as demo from '../../shared/kernel/demo-ids.ts';

/** The moment that the recorded responses are of. */
const recordedAt = Date.parse('2026-11-20T09:30:00.000Z');

/** Ids that are the same on every fresh host are older than its records; all of them begin like this one. */
const wellKnown = demo.platform.slice(0, 5);

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The moments between which a host was seeded and answered. */
export interface Recording {
  readonly seededAt: Date;
  readonly answeredAt: Date;
}

/** Replacements of texts that differ from run to run: the first of these that fits the whole text. */
const placeholders: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^[\w-]+\.[\w-]+\.[\w-]{86}$/, 'header.payload.signature'],
  [/^whsec_.+$/, `whsec_${Buffer.from('an example: nobody signs by this').toString('base64')}`],
  [/^sbk_.{8}$/, `sbk_${'0'.repeat(8)}`],
  [/^sbk_.{49}$/, `sbk_${'0'.repeat(49)}`],
  // It belongs to a second factor.
  [/^[A-Z2-7]{32}$/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'],
  [/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/, 'abcd-efgh-ijkl-mnop'],
  // It belongs to the form that uploads a file.
  [/^[0-9a-f]{64}$/, '0'.repeat(64)],
  [/^eyJ[\w+/]+=*$/, Buffer.from('{"expiration":"…","conditions":["…"]}').toString('base64')],
];

/** Replaces the texts of one answer: the same text by the same one wherever it stands. */
export class StableValues {
  readonly #recording: Recording;
  /** All that the request says. */
  readonly #sent: string;
  readonly #ids = new Map<string, string>();

  constructor(recording: Recording, sent: string) {
    this.#recording = recording;
    this.#sent = sent;
  }

  /** A text or a key in the answer. */
  text(text: string): string {
    const [, placeholder] = placeholders.find(([pattern]) => pattern.test(text)) ?? [];
    if (placeholder !== undefined) {
      return placeholder;
    }
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) {
      return this.#time(text);
    }
    return (
      text
        .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, (id) => this.#id(id))
        // The part of a refresh token that only its owner knows.
        .replace(/\.[\w-]{43}$/, `.${'0'.repeat(43)}`)
        .replace(/^(http|ws):\/\/127\.0\.0\.1:\d+/, '$1://127.0.0.1:3000')
        .replace(/(?<=[?&]secret=)[A-Z2-7]{32}/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')
        .replace(/\/\d{8}\/(?=[\w-]+\/s3\/)/, `/${compact(recordedAt).slice(0, 8)}/`)
        .replace(/^\d{8}T\d{6}Z$/, compact(recordedAt))
    );
  }

  /** A day, moved with the times. */
  day(text: string): string {
    const since = Math.round((Date.parse(text) - startOfDay(this.#recording.answeredAt.getTime())) / day);
    return new Date(startOfDay(recordedAt) + since * day).toISOString().slice(0, 10);
  }

  /**
   * What the request says, or follows from it: unchanged. Before the seeding: as long before. Until the response: its moment. After that:
   * as many minutes after, or as many hours if it is more than a day, because a slow run reads what it made minutes later.
   */
  #time(text: string): string {
    const time = Date.parse(text);
    if (this.#followsFromRequest(time)) {
      return text;
    }
    const { seededAt, answeredAt } = this.#recording;
    const before = Math.min(0, time - seededAt.getTime());
    const ahead = time - answeredAt.getTime();
    const unit = ahead > day ? hour : minute;
    const after = Math.max(0, Math.round(ahead / unit)) * unit;
    return new Date(recordedAt + before + after).toISOString();
  }

  /** Whether the request says this time, or one shortly before it: then it is of a schedule, on a full minute. */
  #followsFromRequest(time: number): boolean {
    const texts = this.#sent.match(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g) ?? [];
    return texts
      .map((text) => Date.parse(text))
      .some((said) => time === said || (time % minute === 0 && time > said && time < said + 7 * day));
  }

  #id(id: string): string {
    if (id.startsWith(wellKnown) || this.#sent.includes(id)) {
      return id;
    }
    const known = this.#ids.get(id) ?? `01KF1A${String(this.#ids.size + 1).padStart(20, '0')}`;
    this.#ids.set(id, known);
    return known;
  }
}

const startOfDay = (time: number) => Math.floor(time / day) * day;

/** `20261120T093000Z`. */
const compact = (time: number) => new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '');
