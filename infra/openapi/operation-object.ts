import { relative, sep } from 'node:path';
import * as z from 'zod';
import { defaultBodyLimit } from '../../shared/kernel/http/body.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { Share } from '../../shared/kernel/ports.ts';
import { messageResponse } from '../../shared/kernel/schemas/envelope.ts';
import type { Tag } from '../../shared/kernel/tag.ts';
import { pascalCase } from '../pascal-case.ts';
import { projectRoot } from '../project.ts';
import type { Registered } from '../registry.ts';
import { limitHeaders } from './announced-limits.ts';
import { codeSamples } from './code-samples.ts';
import { errorResponses, requestIdHeader } from './error-responses.ts';
import { type BearerUse, bearerUse } from './failure-codes.ts';
import type { HeaderObject, MediaType, OperationObject } from './object-types.ts';
import { operationParameters } from './parameters.ts';
import { recordedResponses } from './recorded-responses.ts';
import {
  componentSchema,
  type Descriptions,
  type Listed,
  type Schema,
  type Schemas,
  withDefaultsInWords,
  withDescriptions,
} from './schemas.ts';

const json = 'application/json';

const security: Record<BearerUse, OperationObject['security']> = {
  required: [{ bearer: [] }],
  'self-verified': [{ bearer: [] }],
  optional: [{}, { bearer: [] }],
  none: [],
};

/** The response to a request that is deferred. */
const DeferredResponse = messageResponse();

/** All schemas of an operation with their files, so that the document has each of them once. */
export function schemasIn({ file, operation }: Registered<Operation>): Listed[] {
  const { path = {}, query, takesHeaders = {}, body, output, defers } = operation;
  const headers = Object.values(takesHeaders).map(({ schema }) => schema);
  const sent = [...Object.values(path), ...Object.values(query?.shape ?? {}), ...headers, body].filter(
    (schema) => schema !== undefined,
  );
  const found = { file: relative(projectRoot, file).replaceAll(sep, '/') };
  return [
    ...sent.map((schema) => ({ ...found, schema, direction: 'input' as const })),
    { ...found, schema: output, direction: 'output' },
    ...(defers === undefined ? [] : [{ ...found, schema: DeferredResponse, direction: 'output' as const }]),
  ];
}

/** The component of an operation's request body. */
const requestName = (name: string) => `${pascalCase(name)}Request`;

/** The component of an operation's output, unless the output has an id. */
const resultName = (name: string) => `${pascalCase(name)}Result`;

/** The components of an operation's request and output, so that generated clients have names for them. */
export function operationComponents(
  { name, operation }: Registered<Operation>,
  schemas: Schemas,
): Record<string, Schema> {
  const { body, output, descriptions = {}, contentType = json } = operation;
  const answered = schemas.schemaOf(output, 'output');
  return {
    ...(body === undefined
      ? {}
      : {
          [requestName(name)]: withDefaultsInWords(
            withDescriptions(schemas.schemaOf(body, 'input'), meaningsIn(body, descriptions)),
          ),
        }),
    ...(contentType !== json || answered.$ref !== undefined ? {} : { [resultName(name)]: answered }),
  };
}

/** The descriptions of an operation for fields of this schema, its query or its body. */
function meaningsIn({ shape }: { readonly shape: object }, descriptions: Descriptions): Descriptions {
  return Object.fromEntries(Object.entries(descriptions).filter(([name]) => name in shape));
}

/** An operation in the document. Source: OpenAPI 3.1, "Operation Object". */
export function operationObject(entry: Registered<Operation>, tag: Tag, schemas: Schemas): OperationObject {
  const { name, operation } = entry;
  const { body, status = 200, contentType = json, takesForms = false } = operation;
  const parameters = operationParameters(operation, schemas);
  const described: OperationObject = {
    operationId: name,
    tags: [tag.name],
    summary: operation.summary,
    description: descriptionOf(operation),
    security: security[bearerUse(operation)],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            // The kernel treats an absent body as {}.
            required: !z.safeParse(body, {}).success,
            content: Object.fromEntries(
              [json, ...(takesForms ? ['application/x-www-form-urlencoded', 'multipart/form-data'] : [])].map(
                (type) => [
                  type,
                  { schema: componentSchema(requestName(name)), example: operation.example?.body },
                ],
              ),
            ),
          },
        }),
    responses: {
      [status]: {
        description: status === 201 ? 'Created' : 'Success',
        headers: { ...requestIdHeader, ...entityTag(operation), ...limitHeaders(operation) },
        content: {
          [contentType]: successContent(entry, schemas),
          ...otherContents(operation),
        },
      },
      ...uncreatedResponse(entry, schemas),
      ...deferredResponse(operation, schemas),
      ...redirections(operation),
      ...notModified(operation),
      ...errorResponses(operation),
    },
  };
  return { ...described, 'x-codeSamples': codeSamples(operation.route, described) };
}

function successContent({ name, operation }: Registered<Operation>, schemas: Schemas): MediaType {
  const { output, status = 200, contentType = json } = operation;
  const answered = schemas.schemaOf(output, 'output');
  if (contentType !== json) {
    return { schema: answered };
  }
  const schema = answered.$ref === undefined ? componentSchema(resultName(name)) : answered;
  const recorded = recordedResponses[name];
  // A new operation is in the documentation before its response is recorded.
  return recorded?.status === status ? { schema, example: recorded.body } : { schema };
}

function uncreatedResponse(entry: Registered<Operation>, schemas: Schemas): OperationObject['responses'] {
  const { schema, example } = successContent(entry, schemas);
  const { createsNothing } = entry.operation;
  if (createsNothing === undefined) {
    return {};
  }
  const { message, differing } = createsNothing;
  const recorded = recordedResponses[entry.name];
  const shown =
    message === undefined
      ? recorded?.status === 200 && (recorded.body as object)
      : example !== undefined && { ...(example as object), message, ...differing };
  return {
    200: {
      description: `Success, but nothing was created${message === undefined ? '.' : ': `message` says why.'}`,
      headers: requestIdHeader,
      content: { [json]: { schema, ...(shown && { example: shown }) } },
    },
  };
}

function deferredResponse({ defers }: Operation, schemas: Schemas): OperationObject['responses'] {
  return defers === undefined
    ? {}
    : {
        202: {
          description:
            'Accepted: the service cannot process the request now, and will do so later. Do not send it again.',
          headers: requestIdHeader,
          content: { [json]: { schema: schemas.schemaOf(DeferredResponse, 'output') } },
        },
      };
}

/** Successful responses with another content type. */
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
            Location: { description: 'Where to download the response.', schema: { type: 'string' } },
          },
        },
      ]),
  );
}

/** The header of a document made when the bundle is built. */
function entityTag({ uses }: Operation): Record<string, HeaderObject> {
  return uses.asset === undefined
    ? {}
    : {
        ETag: {
          description:
            'Identifies this version; send it as `If-None-Match` to get 304 while nothing has changed.',
          schema: { type: 'string' },
        },
      };
}

function notModified(operation: Operation): OperationObject['responses'] {
  return operation.uses.asset === undefined
    ? {}
    : {
        304: {
          description: 'Unchanged: `If-None-Match` names this version. There is no body.',
          headers: { ...requestIdHeader, ...entityTag(operation) },
        },
      };
}

/** The author's text, and what follows from the definition. */
function descriptionOf({
  description,
  minimumRole,
  answersHead = false,
  body,
  bodyLimit = defaultBodyLimit,
  timeLimit,
  share,
}: Operation): string {
  return [
    description,
    minimumRole === 'anyone' ? undefined : `Lowest role: \`${minimumRole}\`.`,
    body === undefined || bodyLimit === defaultBodyLimit
      ? undefined
      : `The body may be up to ${bodyLimit / 1024} KB.`,
    answersHead ? '`HEAD` returns the same without the body.' : undefined,
    timeLimit === undefined ? undefined : `May take up to ${timeLimit / 1_000} seconds.`,
    share === undefined ? undefined : limitOf(share, minimumRole === 'anyone' ? 'network' : 'user'),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function limitOf({ atOnce, eachSecond }: Share, who: string): string {
  const count = new Intl.NumberFormat('en-US');
  return `One ${who} may send about ${count.format(atOnce)} requests at once, then ${count.format(eachSecond)} a second, unless the operator of the service has switched that off; beyond that, the response is 429.`;
}
