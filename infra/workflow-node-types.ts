import { nodeTypes } from '../functions/workflows/model/definition/catalogue.ts';
import { topicFields } from '../functions/workflows/model/definition/topic-fields.ts';
import { topics } from '../functions/workflows/model/definition/topics.ts';
import { collectSchemas, type Listed, type Schema } from './openapi/schemas.ts';

/**
 * The schema by which the service reads nodes: null for an optional field counts as absent, also an empty text where it means none, and a
 * text that must not be empty must not be blank either.
 */
function asRead(schema: Schema): Schema {
  const read = JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? withNulls(value as Schema) : value,
  ) as Schema;
  return read;
}

function withNulls(schema: Schema): Schema {
  if (schema.noneIfEmpty === true) {
    const { noneIfEmpty: _, description, ...field } = schema;
    const either = { anyOf: [withNulls(field), { const: '' }] };
    return (description === undefined ? either : { description, ...either }) as Schema;
  }
  if (schema.type === 'string' && schema.minLength === 1 && schema.pattern === undefined) {
    return { ...schema, pattern: String.raw`\S` };
  }
  const { properties, required = [] } = schema;
  if (schema.type === 'object' && properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      required.includes(name) ? field : orNull(field as Schema),
    ]);
    return { ...schema, properties: Object.fromEntries(fields) };
  }
  // An alternative of an object: the fields that it requires are neither null nor empty.
  return schema.type === undefined && Array.isArray(schema.required)
    ? {
        ...schema,
        properties: { ...Object.fromEntries(required.map((name) => [name, isThere])), ...properties },
      }
    : schema;
}

const isThere: Schema = { not: { enum: [null, ''] } };

function orNull({ description, ...field }: Schema): Schema {
  const takesAll = Object.keys(field).length === 0 || ('maxItems' in field && field.type === undefined);
  const rest = takesAll ? field : { anyOf: [field, { type: 'null' }] };
  return { ...rest, ...(description !== undefined && { description }) } as Schema;
}

/** The catalogue of the types of nodes, as `GET /api/workflow-node-types` responds with it. */
export function workflowNodeTypes(): unknown {
  const listed: Listed[] = nodeTypes.map(({ type, schema }) => ({ schema, direction: 'input', file: type }));
  const { schemaOf } = collectSchemas(listed);
  const told = nodeTypes.map((nodeType) => {
    const { type, title, description, schema, waysFrom, ways, actsAsOwner } = nodeType;
    return {
      type,
      title,
      description,
      schema: asRead(schemaOf(schema, 'input')),
      // A node that acts can fail. Ways that depend on the data of a node are in the field `waysFrom`.
      ways: [...(waysFrom === undefined ? (ways?.(undefined) ?? []) : []), ...(actsAsOwner ? ['error'] : [])],
      ...(waysFrom !== undefined && { waysFrom }),
    };
  });
  return {
    success: true,
    data: {
      nodeTypes: told,
      topics: topics.map((topic) => ({ topic, fields: topicFields[topic] })),
    },
  };
}
