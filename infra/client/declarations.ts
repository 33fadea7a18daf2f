import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '../openapi/object-types.ts';
import { clientParameters, type Described, hasPages, operationsByMethod } from './methods.ts';
import { comment, fieldType, typeText } from './schema-types.ts';

const publicTypes = readFileSync(new URL('./runtime/types.ts', import.meta.url), 'utf8');
const exports = readFileSync(new URL('./exports.d.ts', import.meta.url), 'utf8');

/** The declarations of the client: what it is by itself, a method for each operation, and a type for each schema. */
export function clientDeclarations(document: OpenApiDocument): string {
  const { schemas } = document.components;
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeText(schema)};`,
  );
  const own = `${publicTypes}\n${exports}`;
  const taken = [...own.matchAll(/^export (?:declare )?\w+ (\w+)/gm)].map(([, name = '']) => name);
  const twice = taken.find((name) => Object.hasOwn(schemas, name));
  if (twice !== undefined) {
    throw new Error(`The client has a type "${twice}" of its own; rename the schema, or the client's.`);
  }
  const methods = operationsByMethod(document).map(
    ([name, operation]) =>
      `${comment(`${operation.summary}\n${operation.description}`)}${name}${signatureOf(operation)};`,
  );
  return [
    own.trim(),
    ...types,
    `export interface Client extends ClientExtras {\n${methods.join('\n')}\n}`,
    '',
  ].join('\n\n');
}

/** The parameters of a method and what it resolves to. */
function signatureOf(operation: Described): string {
  const fields = clientParameters(operation);
  const { requestBody: body } = operation;
  const given = [
    ...(fields.length === 0
      ? []
      : [
          {
            name: 'parameters',
            isRequired: fields.some(({ required }) => required),
            type: `{\n${fields
              .map(({ name, required, description, schema }) =>
                fieldType(name, { ...schema, ...(description && { description }) }, required),
              )
              .join('\n')}\n}`,
          },
        ]),
    ...(body === undefined
      ? []
      : [
          {
            name: 'body',
            isRequired: body.required,
            type: typeText(body.content['application/json']?.schema ?? {}),
          },
        ]),
    { name: 'options', isRequired: false, type: 'CallOptions' },
  ];
  const lastRequired = given.findLastIndex(({ isRequired }) => isRequired);
  const parameters = given.map(({ name, type }, index) =>
    index <= lastRequired && !given[index]?.isRequired
      ? `${name}: ${type} | undefined`
      : `${name}${index <= lastRequired ? '' : '?'}: ${type}`,
  );
  const result = resultOf(operation);
  return `(${parameters.join(', ')}): ${hasPages(operation) ? `Pages<${result}>` : `Promise<${result}>`}`;
}

function resultOf({ responses }: Described): string {
  const types = Object.entries(responses).flatMap(([status, { content }]) => {
    const [type, media] = Object.entries(content ?? {})[0] ?? [];
    return !status.startsWith('2') || media === undefined
      ? []
      : [type === 'application/json' ? typeText(media.schema) : 'string'];
  });
  return [...new Set(types)].join(' | ') || 'unknown';
}
