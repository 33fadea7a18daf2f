import * as z from 'zod/mini';
import { digitsIn } from '../../../shared/kernel/exact-numbers.ts';
import { AnyNumber } from '../../../shared/kernel/http/plain-numbers.ts';
import { anyString, nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import { isRequired, truncated } from '../../../shared/messages/provider-fields.ts';
import { inboundLimit } from '../../../shared/messages/sms-limits.ts';

/** A text of a message, which may be written as a JSON number. */
export const SmsBody = z.pipe(
  z.union([anyString, z.pipe(AnyNumber, z.transform(digitsIn))], { error: isRequired }),
  anyString,
);

/**
 * The parts of a message that are not plain text, as from WhatsApp: a place, the answer to a button or to a list, the name of its sender. No
 * message is lost for a detail, so anything but a text or a number counts as absent. Source:
 * https://www.twilio.com/docs/messaging/guides/webhook-request, "WhatsApp-specific parameters"
 */
export const richFields = {
  ButtonText: z.optional(z.unknown()),
  ButtonPayload: z.optional(z.unknown()),
  ListTitle: z.optional(z.unknown()),
  ListDescription: z.optional(z.unknown()),
  ListId: z.optional(z.unknown()),
  Label: z.optional(z.unknown()),
  Address: z.optional(z.unknown()),
  Latitude: z.optional(z.unknown()),
  Longitude: z.optional(z.unknown()),
  ProfileName: z.optional(z.unknown()),
};
type RichFields = { readonly [Name in keyof typeof richFields]?: unknown };

export const richDescriptions = {
  ButtonText: 'The button that was tapped: a line of the message, unless that is its text already.',
  ButtonPayload: 'The id of that button: the message, if there is nothing else.',
  ListTitle: 'The item of a list that was chosen: a line of the message, unless that is its text already.',
  ListDescription: 'What that item says below its title: used if there is no title.',
  ListId: 'The id of that item: the message, if there is nothing else.',
  Label: 'The name of a place.',
  Address: 'Its address.',
  Latitude:
    'Degrees north. A place becomes a line of the message, like `Location: Eiffel Tower, Paris (48.8584, 2.2945)`.',
  Longitude: 'Degrees east.',
  ProfileName:
    'How the sender is called there: the first name of a new contact, at most 200 characters. A contact that is known keeps its name.',
};

/** The message as its reader sees it: the text, then a line for each further thing that it has. */
export function smsContent(fields: RichFields & { readonly Body?: string | null | undefined }): string {
  const body = fields.Body ?? '';
  const reply = firstOf([fields.ButtonText, fields.ListTitle, fields.ListDescription]);
  const said = [body, ...(reply === lineIn(body) ? [] : [reply])].filter((line) => line.trim() !== '');
  const location = locationLine(fields, said.length === 0);
  const lines = location === '' ? said : [...said, location];
  const content = lines.join('\n') || firstOf([fields.ButtonPayload, fields.ListId]) || body;
  return truncated(content, inboundLimit);
}

/**
 * A line for a place, with its position in the digits that were sent. Only the place of a message with nothing else may do without one:
 * other messages have addresses, too.
 */
function locationLine({ Label, Address, Latitude, Longitude }: RichFields, isAlone: boolean): string {
  const name = [lineIn(Label), lineIn(Address)].filter((line) => line !== '').join(', ');
  const [latitude, longitude] = [lineIn(Latitude), lineIn(Longitude)];
  if (latitude === '' || longitude === '') {
    return isAlone && name !== '' ? `Location: ${name}` : '';
  }
  const position = `${latitude}, ${longitude}`;
  return `Location: ${name === '' ? position : `${name} (${position})`}`;
}

/** The name by which a sender is known at the provider; undefined for none that anybody could see. */
export function profileNameIn({ ProfileName }: RichFields): string | undefined {
  const name = lineIn(ProfileName);
  return /[^\s\p{Default_Ignorable_Code_Point}]/u.test(name) ? truncated(name, nameLimit) : undefined;
}

const firstOf = (values: readonly unknown[]) => values.map(lineIn).find((line) => line !== '') ?? '';

/** A text on one line; empty for anything else. */
function lineIn(value: unknown): string {
  const { data = '' } = z.safeParse(SmsBody, value);
  return truncated(data, inboundLimit)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
