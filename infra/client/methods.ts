import type { OpenApiDocument, OperationObject } from '../openapi/object-types.ts';
import { pascalCase } from '../pascal-case.ts';
import type { Methods } from './runtime/create-client.ts';

/** An operation with its place in the document. */
export interface Described extends OperationObject {
  readonly method: string;
  readonly path: string;
}

/** Every operation of the document by the name of its method: `create-contact` is `createContact`. */
export function operationsByMethod({ paths }: OpenApiDocument): [name: string, operation: Described][] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, Described] => {
      const name = pascalCase(operation.operationId);
      return [name.charAt(0).toLowerCase() + name.slice(1), { ...operation, method, path }];
    }),
  );
}

/** What the client must know of each operation to call it. */
export function clientMethods(document: OpenApiDocument): Methods {
  return Object.fromEntries(
    operationsByMethod(document).map(([name, operation]) => {
      const { method, path } = operation;
      return [name, `${method.toUpperCase()} ${path} ${lettersOf(operation)}`.trim()];
    }),
  );
}

/** The operation in letters; `Methods` of the client says what they mean. */
function lettersOf(operation: Described): string {
  const { method, security, requestBody, parameters = [] } = operation;
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  // A signed-in caller's POST without a key only reads.
  const mustNotRepeat = method !== 'get' && !takesKey && !isCalledBySomebody(operation);
  return [
    clientParameters(operation).length > 0 && 'p',
    requestBody !== undefined && 'b',
    takesKey && 'k',
    hasPages(operation) && 'c',
    security.length === 0 && 'o',
    mustNotRepeat && 'u',
  ]
    .filter((letter) => letter !== false)
    .join('');
}

const isCalledBySomebody = ({ security }: OperationObject) => security.length === 1;

/** Parameters that a method takes as fields; headers are options. */
export const clientParameters = ({ parameters = [] }: OperationObject) =>
  parameters.filter((parameter) => parameter.in !== 'header');

/** Whether the response says how to go on: with a cursor, or in the journal after an event. */
export const hasPages = ({ parameters = [] }: OperationObject) =>
  parameters.some(({ name }) => name === 'cursor' || name === 'after');
