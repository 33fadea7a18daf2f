import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../kernel/schemas/fields.ts';
import { type Organization, registrationModes } from './organization.ts';

/** The organization for a response. */
export function toOrganizationResponse({
  helpMessage = '',
  repsMayExport = false,
  ...organization
}: Organization) {
  return { ...organization, helpMessage, repsMayExport };
}

/** An organization without its settings, which have their own operations. */
export const OrganizationResponse = described(
  z.object({
    _id: anyString,
    name: anyString,
    helpMessage: anyString,
    registrationMode: z.enum(registrationModes),
    repsMayExport: z.boolean(),
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the organization.',
    name: 'Its name.',
    helpMessage: 'The reply to contacts who text HELP or INFO; empty when there is none.',
    registrationMode:
      '`admin_only`: only an ADMIN or SUPERADMIN can register users. `open`: anyone who knows the id can join as a SALES_REP.',
    repsMayExport: 'Whether a SALES_REP may export the contacts that they see.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Organization', description: 'A customer of the service, with its own users and records.' },
);
