import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../infra/openapi/document.ts';
import type { OpenApiDocument, OperationObject } from '../../infra/openapi/object-types.ts';
import type { Schema } from '../../infra/openapi/schemas.ts';
import { frameName } from '../../infra/openapi/socket-schemas.ts';
import type { Registered } from '../../infra/registry.ts';

/** The published document, as something that bodies can be held against. */
export interface Published {
  readonly document: OpenApiDocument;
  /** Says what is wrong with a response's body, in an error also a key that is not described; an empty list when nothing is. */
  responseProblems(operationId: string, status: number, body: unknown, contentType?: string): string[];
  /** Says what is wrong with a frame that a client has received. */
  frameProblems(frame: unknown): string[];
  /** Says what is wrong with a request's body. */
  requestProblems(operationId: string, body: unknown): string[];
}

/** The description that these operations have, and a validator over it. */
export function publishedBy(operations: readonly Registered[]): Published {
  const document = JSON.parse(JSON.stringify(openApiDocument(operations))) as OpenApiDocument;
  // An unknown format or keyword is an error.
  const ajv = new Ajv2020({
    allErrors: true,
    strictTypes: false,
    formats: { date: isDay, 'date-time': isDateTime, email: true, password: true },
  });
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema({ $id: 'openapi', ...document } as AnySchema);
  const located = new Map(operationsIn(document).map((one) => [one.operation.operationId, one]));

  /** The first place of each schema: a schema that many operations have in the same words is compiled once. */
  const pointers = new Map<string, { $ref: string }>();
  const mediaType = (
    operationId: string,
    contentIn: (operation: OperationObject) => [string[], Record<string, { schema?: unknown }> | undefined],
    contentType?: string,
  ) => {
    const found = located.get(operationId);
    if (found === undefined) {
      throw new Error(`The document has no operation "${operationId}".`);
    }
    const [within, content = {}] = contentIn(found.operation);
    const types = Object.keys(content);
    const type = types.find((one) => contentType?.startsWith(one)) ?? types[0];
    if (type === undefined) {
      throw new Error(`The document does not say what ${operationId} has under ${within.join(' ')}.`);
    }
    const text = JSON.stringify(content[type]?.schema);
    const steps = ['paths', found.path, found.method, ...within, 'content', type, 'schema'];
    const schema = pointers.get(text) ?? { $ref: `openapi#${pointer(steps)}` };
    pointers.set(text, schema);
    return schema;
  };
  const ofResponses = new Map<string, { $ref: string }>();
  /** The schema of a response's body, as a reference into the document. */
  const responseSchemaFor = (operationId: string, status: number, contentType?: string) => {
    const name = `${operationId} ${status} ${contentType}`;
    const schema =
      ofResponses.get(name) ??
      mediaType(
        operationId,
        ({ responses }) => [['responses', String(status)], responses[status]?.content],
        contentType,
      );
    ofResponses.set(name, schema);
    return schema;
  };
  const closed = new Map<string, ValidateFunction>();
  /** Validates against the schema, and refuses properties that it does not describe. */
  const closedTo = ({ $ref }: { $ref: string }) => {
    const validate = closed.get($ref) ?? ajv.compile({ $ref, unevaluatedProperties: false });
    closed.set($ref, validate);
    return validate;
  };
  const problems = (schema: { $ref: string }, body: unknown, isClosed = false) => {
    const validate = isClosed ? closedTo(schema) : (ajv.getSchema(schema.$ref) ?? ajv.compile(schema));
    validate(body);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'body'} ${message}`);
  };

  return {
    document,
    responseProblems: (operationId, status, body, contentType) =>
      problems(responseSchemaFor(operationId, status, contentType), body, status >= 400),
    frameProblems(frame) {
      // Only the kind of frame that it claims to be counts: what is wrong with that is the problem.
      const name = frameName(String((frame as { event?: unknown }).event));
      const isKnown = document.components.schemas[name] !== undefined;
      return problems({ $ref: `openapi#/components/schemas/${isKnown ? name : 'ReceivedFrame'}` }, frame);
    },
    requestProblems: (operationId, body) =>
      problems(
        mediaType(operationId, ({ requestBody }) => [['requestBody'], requestBody?.content]),
        body,
      ),
  };
}

/** As RFC 3339 defines `full-date`. */
function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** As RFC 3339 defines `date-time`. */
function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
  );
}

export interface Located {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

export function operationsIn({ paths }: OpenApiDocument): Located[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Every value in a JSON document under a key of this name. */
export function valuesUnder(key: string, within: unknown): unknown[] {
  if (typeof within !== 'object' || within === null) {
    return [];
  }
  return Object.entries(within).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesUnder(key, value),
  ]);
}

/** Every property that a schema describes, however deep, and where: `Contact.phoneNumbers.value`. */
export function propertiesIn(schema: Schema, at: string): { at: string; property: Schema }[] {
  const { properties = {}, items, additionalProperties, anyOf = [], allOf = [], oneOf = [] } = schema;
  const own = Object.entries(properties as Record<string, Schema>);
  const within = [items, additionalProperties, ...anyOf, ...allOf, ...oneOf] as (Schema | undefined)[];
  return [
    ...own.flatMap(([name, property]) => [
      { at: `${at}.${name}`, property },
      ...propertiesIn(property, `${at}.${name}`),
    ]),
    ...within.flatMap((one) => (typeof one === 'object' ? propertiesIn(one, at) : [])),
  ];
}

/** Every schema, or other object, in a JSON document that has this key with a text. */
export function schemasWith(key: string, within: unknown): object[] {
  if (typeof within !== 'object' || within === null) {
    return [];
  }
  const own = typeof (within as Record<string, unknown>)[key] === 'string' ? [within] : [];
  return [...own, ...Object.values(within).flatMap((value) => schemasWith(key, value))];
}

/** A JSON pointer as the fragment of a URI. */
function pointer(steps: readonly string[]): string {
  return steps
    .map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}
