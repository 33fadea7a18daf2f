import * as z from 'zod';
import type { Example } from '../../shared/kernel/documentation.ts';
import { keyHeader, longestKey } from '../../shared/kernel/http/keyed-request.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { takesKey } from '../../shared/kernel/uses.ts';
import { pathParameters } from './failure-codes.ts';
import type { ParameterObject } from './object-types.ts';
import type { Schemas } from './schemas.ts';

/** The header of every operation by which a caller changes something. */
const keyParameter: ParameterObject = {
  name: keyHeader,
  in: 'header',
  required: false,
  description:
    'A string of your choice for this request, such as a UUID. However often the request is sent with it within 24 hours, it happens once, and every response is that of the first.',
  schema: { type: 'string', minLength: 1, maxLength: longestKey, pattern: '^[ -~]+$' },
};

/** The parameters of an operation: of its path, of its query, and headers. Source: OpenAPI 3.1, "Parameter Object". */
export function operationParameters(operation: Operation, schemas: Schemas): ParameterObject[] {
  return [
    ...pathParameters(operation.route).map(
      (name): ParameterObject => ({
        name,
        in: 'path',
        required: true,
        description:
          operation.descriptions?.[name] ?? 'An identifier as the API returned it; any other gets 404.',
        schema: operation.path?.[name] ? schemas.schemaOf(operation.path[name], 'input') : { type: 'string' },
        ...exampleValue(operation.example?.path, name),
      }),
    ),
    ...queryParameters(operation, schemas),
    ...Object.entries(operation.takesHeaders ?? {}).map(
      ([name, { schema, description }]): ParameterObject => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: schemas.schemaOf(schema, 'input'),
      }),
    ),
    ...(takesKey(operation) ? [keyParameter] : []),
  ];
}

/** The example's value for a parameter, if it has one. */
function exampleValue(values: Example['query'], name: string): { example?: unknown } {
  return values?.[name] === undefined ? {} : { example: values[name] };
}

function queryParameters(
  { query, descriptions = {}, example }: Operation,
  schemas: Schemas,
): ParameterObject[] {
  return Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const schema = schemas.schemaOf(field, 'input');
    const description = descriptions[name];
    return {
      name,
      in: 'query',
      required: !z.safeParse(field, undefined).success,
      ...(description === undefined ? {} : { description }),
      schema,
      ...exampleValue(example?.query, name),
    };
  });
}
