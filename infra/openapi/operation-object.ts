import * as z from 'zod';
import { defaultBodyLimit } from '../../shared/kernel/body.ts';
import type { Example, Operation } from '../../shared/kernel/operation.ts';
import type { Registered } from '../registry.ts';
import { exampleOf } from './answer-examples.ts';
import { errorResponses, requestIdHeader } from './error-responses.ts';
import { type BearerUse, bearerUse, pathParameters } from './failure-codes.ts';
import type { OperationObject, ParameterObject, Reference } from './object-types.ts';
import type { Direction, Schema, Schemas } from './schemas.ts';
import { tagOf } from './tags.ts';

const json = 'application/json';

const security: Record<BearerUse, OperationObject['security']> = {
  required: [{ bearer: [] }],
  'self-verified': [{ bearer: [] }],
  optional: [{}, { bearer: [] }],
  none: [],
};

/** Every schema of an operation, for the collection of components. */
export function schemasIn({
  path = {},
  query,
  body,
  output,
}: Operation): { schema: z.core.$ZodType; direction: Direction }[] {
  return [
    ...Object.values(path).flatMap((schema) =>
      schema === undefined ? [] : [{ schema, direction: 'input' as const }],
    ),
    ...(query === undefined ? [] : [{ schema: query, direction: 'input' as const }]),
    ...(body === undefined ? [] : [{ schema: body, direction: 'input' as const }]),
    { schema: output, direction: 'output' },
  ];
}

export function operationObject(
  { name, folder, operation }: Registered<Operation>,
  schemas: Schemas,
  components: Readonly<Record<string, Schema>>,
): OperationObject {
  const { body, status = 200, contentType = json, takesForms = false } = operation;
  const parameters = parametersOf(operation, schemas);
  return {
    operationId: name,
    tags: [tagOf(folder).name],
    summary: operation.summary,
    description: descriptionOf(operation),
    security: security[bearerUse(operation)],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            // The kernel reads an absent body as {}.
            required: !z.safeParse(body, {}).success,
            content: Object.fromEntries(
              [json, ...(takesForms ? ['application/x-www-form-urlencoded'] : [])].map((type) => [
                type,
                {
                  schema: withMeanings(schemas.schemaOf(body, 'input'), operation.meanings),
                  example: operation.example?.body,
                },
              ]),
            ),
          },
        }),
    responses: {
      [status]: {
        description: status === 201 ? 'Created' : 'Success',
        headers: requestIdHeader,
        content: {
          [contentType]: successContent(operation, schemas, components),
          ...otherContents(operation),
        },
      },
      ...redirections(operation),
      ...errorResponses(operation),
    },
  };
}

function successContent(
  { output, contentType = json }: Operation,
  schemas: Schemas,
  components: Readonly<Record<string, Schema>>,
) {
  const schema = schemas.schemaOf(output, 'output');
  return contentType === json ? { schema, example: exampleOf(schema, components) } : { schema };
}

/** Answers of success in another content type. */
function otherContents({ others = [] }: Operation): Record<string, { schema: Schema }> {
  return Object.fromEntries(
    others.flatMap(({ status, contentType, description }) =>
      status === 303 || contentType === undefined
        ? []
        : [[contentType, { schema: { type: 'string', description } }]],
    ),
  );
}

function redirections({ others = [] }: Operation): OperationObject['responses'] {
  return Object.fromEntries(
    others
      .filter(({ status }) => status === 303)
      .map(({ description }) => [
        '303',
        {
          description,
          headers: {
            ...requestIdHeader,
            Location: { description: 'Where the answer can be read.', schema: { type: 'string' } },
          },
        },
      ]),
  );
}

/** What the author wrote, and what follows from the definition. */
function descriptionOf({
  description,
  allow,
  body,
  bodyLimit = defaultBodyLimit,
  timeLimit,
}: Operation): string {
  return [
    description,
    allow === 'anyone' ? undefined : `Lowest role: \`${allow}\`.`,
    body === undefined || bodyLimit === defaultBodyLimit
      ? undefined
      : `The body may have up to ${bodyLimit / 1024} KB.`,
    timeLimit === undefined ? undefined : `May take up to ${timeLimit / 1_000} seconds.`,
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function parametersOf(operation: Operation, schemas: Schemas): (ParameterObject | Reference)[] {
  return [
    ...pathParameters(operation.route).map(
      (name): ParameterObject => ({
        name,
        in: 'path',
        required: true,
        description:
          operation.meanings?.[name] ??
          'An identifier as the API returned it; any other reads as "not found".',
        schema: operation.path?.[name] ? schemas.schemaOf(operation.path[name], 'input') : { type: 'string' },
        ...exampleValue(operation.example?.path, name),
      }),
    ),
    ...queryParameters(operation, schemas),
    ...(operation.allow === 'anyone' ? [] : [{ $ref: '#/components/parameters/OrganizationId' }]),
  ];
}

/** The schema with what its fields mean. */
function withMeanings(schema: Schema, meanings: Operation['meanings'] = {}): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const description = meanings[name];
    return [name, description === undefined ? property : { ...(property as Schema), description }];
  });
  return properties.length === 0 ? schema : { ...schema, properties: Object.fromEntries(properties) };
}

/** The value that the example has for a parameter; nothing for one that it leaves out. */
function exampleValue(values: Example['query'], name: string): { example?: unknown } {
  return values?.[name] === undefined ? {} : { example: values[name] };
}

function queryParameters({ query, meanings = {}, example }: Operation, schemas: Schemas): ParameterObject[] {
  return Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const schema = schemas.schemaOf(field, 'input');
    const description = meanings[name];
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
