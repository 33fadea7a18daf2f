import {
  catalogue,
  Failure,
  type FailureCode,
  type Family,
  failureBody,
  refusals,
} from '../../shared/kernel/failure.ts';
import { componentSchema, type Descriptions, type Schema, withDescriptions } from './schemas.ts';

/** An example message for each code; real messages name the fields and records concerned. */
const messages: Record<FailureCode, string> = {
  INVALID: 'name is required',
  INVALID_TOKEN: 'The link is invalid, expired or already used. Ask for a new one.',
  WRONG_CODE: 'The code is wrong or was used before.',
  WRONG_PASSWORD: 'currentPassword is not your password',
  NAME_TAKEN: 'Another workflow of this organization already has this name.',
  INVALID_CREDENTIALS: catalogue.INVALID_CREDENTIALS.title,
  TOKEN_EXPIRED: 'The refresh token is invalid, expired or already used. Log in again.',
  UNVERIFIED: 'No signature in webhook-signature matches this request.',
  FORBIDDEN: 'This requires the role ADMIN or higher.',
  NOT_FOUND: 'Record not found',
  METHOD_NOT_ALLOWED: 'This path takes GET and POST, but not PATCH.',
  CONFLICT: 'The record conflicts with another one.',
  RESYNC_REQUIRED: 'after is more than 72 hours ago. Reload everything, then go on after nextAfter.',
  TOO_LARGE: 'The request body is larger than 256 KB.',
  TOO_MANY_ATTEMPTS: 'Too many attempts. Try again later.',
  IDEMPOTENCY_KEY_REUSED: catalogue.IDEMPOTENCY_KEY_REUSED.title,
  INTERNAL: catalogue.INTERNAL.title,
  UNAVAILABLE: 'The service is busy. Try again shortly.',
};

export function errorExample(code: FailureCode, family: Family): Record<string, unknown> {
  return failureBody(new Failure(code, messages[code]), family);
}

/** The gateway's own bodies, for requests that reach no operation or get no response from it. */
export const gatewayTexts: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const texts = {
  failed: 'Always false.',
  kind: 'What kind of error it is.',
  problem: 'What is wrong, and what to do.',
  code: 'The kind of error, for programs. Every response lists its possible values.',
};

interface FamilySchema {
  readonly name: string;
  readonly description: string;
  /** The meaning of its fields. */
  readonly descriptions: Descriptions;
  /** The field with the code, if there is one. */
  readonly codeField?: string;
}

const families: Record<Family, FamilySchema> = {
  auth: {
    name: 'AuthError',
    description: 'An error response of login and sessions.',
    descriptions: { error: texts.problem, code: texts.code },
    codeField: 'code',
  },
  plain: {
    name: 'PlainError',
    description: 'An error response of an operation whose group has no shape of its own.',
    descriptions: { success: texts.failed, message: texts.problem },
  },
  notes: {
    name: 'NotesError',
    description: 'An error response of contact notes.',
    descriptions: { success: texts.failed, message: texts.problem, error: texts.code },
    codeField: 'error',
  },
  calls: {
    name: 'CallsError',
    description: 'An error response of calls.',
    descriptions: { success: texts.failed, error: texts.problem },
  },
  organizations: {
    name: 'OrganizationsError',
    description: 'An error response of organizations.',
    descriptions: { error: texts.kind, details: texts.problem },
  },
  contacts: {
    name: 'ContactsError',
    description: 'An error response of contacts.',
    descriptions: { error: texts.kind, message: texts.problem },
  },
};

export const refusedToken = 'RefusedToken';
export const gatewayMessage = 'GatewayMessage';

/** The schema of a family's errors with these codes. */
export function errorSchema(family: Family, codes: readonly FailureCode[]): Schema {
  const { name, codeField } = families[family];
  const common = componentSchema(name);
  return codeField === undefined
    ? common
    : {
        allOf: [
          common,
          {
            type: 'object',
            required: [codeField],
            properties: { [codeField]: { type: 'string', enum: [...codes] } },
          },
        ],
      };
}

/** The components of error responses, only for the given families. */
export function errorSchemas(used: ReadonlySet<Family>): Record<string, Schema> {
  return {
    ...Object.fromEntries(
      [...used].map((family) => {
        const { name, description, descriptions } = families[family];
        return [
          name,
          { description, ...withDescriptions(bodyShape(errorExample('INVALID', family)), descriptions) },
        ];
      }),
    ),
    [refusedToken]: {
      description: 'The access token was refused: it is invalid or has expired.',
      ...withDescriptions(bodyShape(refusals.invalid), { error: texts.kind, message: texts.problem }),
    },
    [gatewayMessage]: {
      description: 'The gateway responded in place of the operation.',
      ...withDescriptions(bodyShape({ message: 'Unauthorized' }), { message: 'The name of the status.' }),
    },
  };
}

/** The schema of bodies like this one: the same keys, and constant booleans. */
export function bodyShape(body: Readonly<Record<string, unknown>>): Schema {
  return {
    type: 'object',
    required: Object.keys(body),
    properties: Object.fromEntries(
      Object.entries(body).map(([key, value]): [string, Schema] => [
        key,
        typeof value === 'boolean' ? { type: 'boolean', const: value } : { type: 'string' },
      ]),
    ),
  };
}
