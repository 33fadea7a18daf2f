import type { Tool } from '../../functions/agents/model/tool.ts';
import type { ToolDescription } from '../../shared/kernel/documentation.ts';
import { isClosedToKeys } from '../../shared/kernel/http/key-access.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { onlyReads } from '../../shared/kernel/uses.ts';
import { ofKind, type Registered } from '../registry.ts';
import { openApiDocument } from './document.ts';
import type { OperationObject } from './object-types.ts';
import { resolvedPart } from './page/references.ts';
import type { Schema } from './schemas.ts';

/**
 * The tools of agents, one for each operation that declares to be one, in the order of the operations. Their arguments are those of the
 * operation in the OpenAPI document: path, query and body in one object.
 * @throws for a tool that no key may use, and for names of tools or arguments that are not unique.
 */
export function agentTools(operations: readonly Registered[]): Tool[] {
  const document = openApiDocument(operations);
  const tools = ofKind(operations, 'http').flatMap(({ file, operation }) => {
    const { tool, route } = operation;
    const [method = '', path = ''] = route.split(' ');
    return tool === undefined
      ? []
      : toolFrom(
          file,
          operation,
          tool,
          asRead(resolvedPart(document, ['paths', path, method.toLowerCase()])),
        );
  });
  refuseTwice(
    tools.map(({ name }) => name),
    'Two tools',
  );
  return tools;
}

function toolFrom(
  file: string,
  operation: Operation,
  { name, when }: ToolDescription,
  { parameters = [], requestBody }: OperationObject,
): Tool {
  const { route, tag, minimumRole, uses, summary } = operation;
  if (isClosedToKeys(operation)) {
    throw new Error(`${file}: no API key may use this operation, so it cannot be a tool.`);
  }
  const beside = parameters.filter((parameter) => parameter.in !== 'header');
  const body: Schema = requestBody?.content['application/json']?.schema ?? {};
  const { properties = {}, required = [] } = body as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  refuseTwice(
    [...beside.map((parameter) => parameter.name), ...Object.keys(properties)],
    `${file}: two arguments`,
  );
  const reads = onlyReads(operation);
  return {
    name,
    title: summary,
    description: `${summary}. ${when}`,
    inputSchema: {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          beside.map((parameter) => [
            parameter.name,
            { ...parameter.schema, ...(parameter.description && { description: parameter.description }) },
          ]),
        ),
        ...properties,
      } as Tool['inputSchema']['properties'],
      required: [
        ...beside.filter((parameter) => parameter.required).map((parameter) => parameter.name),
        ...required,
      ],
    },
    // What is only added leaves the rest as it was; a change or a deletion replaces it.
    annotations: { readOnlyHint: reads, destructiveHint: !reads && !route.startsWith('POST ') },
    operation: { route, uses, minimumRole, ...(tag !== undefined && { tag }) },
    queryNames: beside.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name),
    hasBody: requestBody !== undefined,
  };
}

function refuseTwice(names: readonly string[], what: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`${what} are called "${twice}"; rename one.`);
  }
}

/** A described operation for readers who have nothing but it: without names of schemas, and without links to groups. */
function asRead(operation: unknown): OperationObject {
  return JSON.parse(JSON.stringify(operation), (key, value) => {
    if (key === '$ref' || key === '$$ref') {
      return undefined;
    }
    return typeof value === 'string' ? value.replaceAll(/\[([^\]]+)\]\(#\/[^)]*\)/g, '$1') : value;
  }) as OperationObject;
}
