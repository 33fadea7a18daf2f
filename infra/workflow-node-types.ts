import { nodeTypes } from '../functions/workflows/model/nodes/node-types.ts';
import { topicFields } from '../functions/workflows/model/topics/topic-fields.ts';
import { topics } from '../functions/workflows/model/topics/topics.ts';
import { type Listed, schemasOf } from './openapi/schemas.ts';

/** The catalogue of the types of nodes, as `GET /api/workflow-node-types` responds with it. */
export function workflowNodeTypes(): unknown {
  const listed: Listed[] = nodeTypes.map(({ type, schema }) => ({ schema, direction: 'input', file: type }));
  const { schemaOf } = schemasOf(listed);
  const told = nodeTypes.map((one) => {
    const { type, title, description, schema, waysFrom, ways, actsAsOwner } = one;
    return {
      type,
      title,
      description,
      schema: schemaOf(schema, 'input'),
      // Whatever acts can fail, and those whose ways depend on data say where they stand.
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
