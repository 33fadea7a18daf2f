import type { DetailedFailure } from '../../shared/kernel/documentation.ts';
import { catalogue, failureBody, refusals } from '../../shared/kernel/failure.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { limitHeaders } from './announced-limits.ts';
import {
  bodyShape,
  errorExample,
  errorSchema,
  gatewayMessage,
  gatewayTexts,
  refusedToken,
} from './error-schemas.ts';
import { bearerUse, failureCodes } from './failure-codes.ts';
import type { Reference, ResponseObject } from './object-types.ts';
import { componentSchema, type Schema } from './schemas.ts';

/** One possible body of an error status. */
interface Possible {
  readonly status: number;
  readonly key: string;
  readonly title: string;
  /** Set for an error of the gateway, which describes the response only if the operation has no error with this status. */
  readonly isGateway?: true;
  readonly schema: Schema;
  readonly value: unknown;
}

const header = (name: string): Reference => ({ $ref: `#/components/headers/${name}` });

export const requestIdHeader = { 'x-request-id': header('RequestId') };

/** One response for each error status of the operation, with the exact shapes of its bodies. */
export function errorResponses(operation: Operation): Record<string, ResponseObject> {
  const responses = [...tokenRefusals(operation), ...failures(operation)];
  const all = [...responses, ...gatewayAnswers(operation, new Set(responses.map(({ status }) => status)))];
  const byStatus = Map.groupBy(all, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, possible]) => [status, response(status, possible, limitHeaders(operation))]),
  );
}

function failures(operation: Operation): Possible[] {
  const { family, detailedFailures = [] } = operation;
  const byStatus = Map.groupBy(failureCodes(operation), (code) => catalogue[code].status);
  return [...byStatus].flatMap(([status, codes]) => {
    const detailed = detailedFailures.filter(({ example }) => codes.includes(example.code));
    const schema = withDetails(errorSchema(family, codes), detailed);
    return [
      ...codes.map((code) => ({
        status,
        key: code as string,
        title: catalogue[code].title as string,
        schema,
        value: errorExample(code, family),
      })),
      ...detailed.map(({ example }) => ({
        status,
        key: [example.code, ...Object.keys(example.details)].join('-'),
        title: `${example.title}, with ${Object.keys(example.details).join(' and ')}`,
        schema,
        value: failureBody(example, family),
      })),
    ];
  });
}

/** The schema of a status's bodies: the family's, with the further keys of some failures. */
function withDetails(family: Schema, detailed: readonly DetailedFailure[]): Schema {
  const properties = detailed.flatMap(({ details }) =>
    Object.entries(details).map(([name, detail]): [string, Schema] => [
      name,
      { type: 'string', ...detail } as Schema,
    ]),
  );
  return properties.length === 0
    ? family
    : { allOf: [family, { type: 'object', properties: Object.fromEntries(properties) }] };
}

function tokenRefusals(operation: Operation): Possible[] {
  const use = bearerUse(operation);
  if (use === 'none') {
    return [];
  }
  const reasons = [
    ['invalid', 'Invalid access token'],
    ['expired', 'Expired access token'],
  ] as const;
  return reasons.map(([reason, title]) => {
    const fixed = operation.refusal?.(reason);
    return {
      status: 401,
      key: `token-${reason}`,
      title,
      schema: fixed === undefined ? componentSchema(refusedToken) : bodyShape(fixed),
      value: fixed ?? refusals[reason],
    };
  });
}

/** The gateway limits the rate of every route; its other errors are listed only where the operation has the same status. */
function gatewayAnswers(operation: Operation, statuses: ReadonlySet<number>): Possible[] {
  return Object.entries(gatewayTexts)
    .map(([status, message]) => ({ status: Number(status), message }))
    .filter(({ status }) => {
      if (status === 401) {
        return bearerUse(operation) === 'required';
      }
      return status === 429 || statuses.has(status);
    })
    .map(({ status, message }) => ({
      status,
      key: 'gateway',
      title: status === 401 ? 'No Authorization header' : `${message} (the gateway)`,
      isGateway: true,
      schema: componentSchema(gatewayMessage),
      value: { message },
    }));
}

function response(
  status: number,
  possible: readonly Possible[],
  limits: Record<string, Reference>,
): ResponseObject {
  const schemas = [...new Map(possible.map(({ schema }) => [JSON.stringify(schema), schema])).values()];
  const [first] = schemas;
  const responses = possible.filter(({ isGateway }) => !isGateway);
  return {
    description: (responses.length > 0 ? responses : possible).map(({ title }) => title).join('; '),
    headers: {
      ...requestIdHeader,
      ...limits,
      ...(status === 401 ? { 'www-authenticate': header('Challenge') } : {}),
      ...(status === 429 || status === 503 ? { 'retry-after': header('RetryAfter') } : {}),
    },
    content: {
      'application/json': {
        schema: schemas.length === 1 && first !== undefined ? first : { anyOf: schemas },
        examples: Object.fromEntries(
          possible.map(({ key, title, value }) => [key, { summary: title, value }]),
        ),
      },
    },
  };
}
