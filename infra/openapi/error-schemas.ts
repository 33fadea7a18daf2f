import {
  bodyOf,
  catalogue,
  Failure,
  type FailureCode,
  type Family,
  refusals,
} from '../../shared/kernel/failure.ts';
import type { Schema } from './schemas.ts';

const codes = Object.keys(catalogue) as FailureCode[];

/** A body of each code, as an answer might carry it; the texts of real answers name the fields and records at hand. */
const texts: Record<FailureCode, string> = {
  INVALID: 'name is required',
  NAME_TAKEN: 'The name is taken; choose another.',
  INVALID_CREDENTIALS: catalogue.INVALID_CREDENTIALS.title,
  TOKEN_EXPIRED: catalogue.TOKEN_EXPIRED.title,
  UNVERIFIED: 'No signature in webhook-signature fits this request.',
  FORBIDDEN: 'This needs the role ADMIN or a higher one.',
  NOT_FOUND: 'Record not found',
  METHOD_NOT_ALLOWED: 'This path takes GET and POST, but not PATCH.',
  CONFLICT: 'The record conflicts with another one.',
  TOO_LARGE: 'The request body is larger than 256 KB.',
  TOO_MANY_ATTEMPTS: 'Too many attempts. Try again later.',
  INTERNAL: catalogue.INTERNAL.title,
  UNAVAILABLE: 'Temporarily unavailable. Try again shortly.',
};

export function errorExample(code: FailureCode, family: Family): Record<string, unknown> {
  return bodyOf(new Failure(code, texts[code]), family);
}

/** The gateway's own bodies, for requests that do not reach an operation or get no answer from it. */
export const gatewayTexts: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const families: Record<Family, { name: string; description: string }> = {
  auth: { name: 'AuthError', description: 'An error of sign-in and sessions.' },
  plain: { name: 'PlainError', description: 'An error of an operation whose group has no shape of its own.' },
  notes: { name: 'NotesError', description: 'An error of contact notes.' },
  calls: { name: 'CallsError', description: 'An error of calls.' },
  organizations: { name: 'OrganizationsError', description: 'An error of organizations.' },
  contacts: { name: 'ContactsError', description: 'An error of contacts.' },
};

export const refusedToken = 'RefusedToken';
export const gatewayMessage = 'GatewayMessage';

export function familySchemaName(family: Family): string {
  return families[family].name;
}

/** The components that error responses refer to; only those of the given families. */
export function errorSchemas(used: ReadonlySet<Family>): Record<string, Schema> {
  return {
    ...Object.fromEntries(
      (Object.keys(families) as Family[])
        .filter((family) => used.has(family))
        .map((family) => [
          families[family].name,
          { description: families[family].description, ...shapeOf(errorExample('INVALID', family)) },
        ]),
    ),
    [refusedToken]: {
      description: 'The access token was refused: it is not valid, or it has expired.',
      ...shapeOf(refusals.invalid),
    },
    [gatewayMessage]: {
      description: 'The gateway answered in place of the operation.',
      ...shapeOf({ message: 'Unauthorized' }),
    },
  };
}

/** The schema of bodies like this one: the same keys; a truth value is always the same one, a code any code. */
export function shapeOf(body: Readonly<Record<string, unknown>>): Schema {
  return {
    type: 'object',
    required: Object.keys(body),
    properties: Object.fromEntries(
      Object.entries(body).map(([key, value]): [string, Schema] => {
        if (typeof value === 'boolean') {
          return [key, { type: 'boolean', const: value }];
        }
        return [
          key,
          codes.includes(value as FailureCode) ? { type: 'string', enum: codes } : { type: 'string' },
        ];
      }),
    ),
  };
}
