import { type GraphNode, inARow } from './advancing.ts';
import { trigger } from './starting.ts';

const tagged = (tag: string) => ({
  event: 'contact.tag_added',
  filter: [{ field: 'event.tag', operator: 'equals', value: tag }],
});
const delay = (hours: number): GraphNode => ({ type: 'delay', data: { value: hours, unit: 'hours' } });
const note: GraphNode = { type: 'addNote', data: { note: 'Call' } };
const reply: GraphNode = {
  type: 'waitForEvent',
  data: { ...tagged('b'), timeout: { value: 6, unit: 'hours' } },
};
const refused: GraphNode = { type: 'addNote', data: { note: '{{event.nothing}}' } };

/** A trigger, and paths beside each other that come together at the end. */
function fork(paths: readonly (readonly GraphNode[])[]) {
  const start = trigger('manual.started');
  const end = { id: 'end', type: 'addNote', data: { note: 'End', join: 'all' }, position: { x: 0, y: 0 } };
  const nodes: object[] = [start, end];
  const edges: object[] = [];
  for (const [index, path] of paths.entries()) {
    const rest = inARow(path).nodes.slice(1);
    const own = rest.map((node) => ({ ...node, id: `p${index}${node.id}` }));
    nodes.push(...own);
    const ids = ['trigger', ...own.map(({ id }) => id), 'end'];
    edges.push(...ids.slice(1).map((target, at) => ({ id: `${index}-${at}`, source: ids[at], target })));
  }
  return { nodes, edges };
}

const always = { settings: { reentry: 'always' } };
/** Workflows whose runs wait, split, fail and come together, each of which a contact may enter again and again. */
export const variedGraphs: readonly object[] = [
  { ...inARow([reply, note, reply, delay(2)], 'contact.created'), ...always },
  { ...fork([[delay(2), note], [reply], [delay(5), delay(1)]]), ...always },
  { ...fork([[refused], [delay(9), reply]]), ...always },
  { ...inARow([delay(30), note]), settings: { reentry: 'always', goal: tagged('c') } },
  { ...inARow([delay(3)]), ...always },
];
/** A workflow that starts itself, as often as it may. */
export const startingItself = (workflowId: string) =>
  inARow([delay(3), { type: 'startWorkflow', data: { workflowId } }]);
