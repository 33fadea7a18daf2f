import { nodeTypeOf } from './catalogue.ts';
import { TriggerData, triggerType } from './flow-nodes.ts';
import { fieldsNamedIn } from './named-fields.ts';
import { readData } from './node-data.ts';
import type { AwaitedEvent, Plan, PlanNode } from './plan.ts';
import { maxProblems, type Problem, problemAt, quoted } from './problem.ts';
import { topicFields } from './topic-fields.ts';
import type { Topic } from './topics.ts';

/** The names of what is known of an event. */
const fieldsOf = (topic: Topic): ReadonlySet<string> => new Set(topicFields[topic].map(({ name }) => name));

/** Fields that a graph reads from events that do not have them: a rule about them never holds, and a placeholder stays empty. */
export function eventProblems(plan: Plan): Problem[] {
  const { goal } = plan.settings;
  const nodes = Object.values(plan.nodes);
  const starting = new Set(nodes.flatMap((node) => triggerEvent(node)?.topic ?? []));
  const known = new Set([...starting].flatMap((topic) => [...fieldsOf(topic)]));
  return [
    ...(goal === undefined
      ? []
      : filterProblems(goal).map((one) => problemAt(null)('warning', `goal: ${one}`))),
    ...nodes.flatMap((node) => {
      const event = triggerEvent(node) ?? nodeTypeOf(node.type)?.listensTo?.(node.data);
      const problems = event === undefined ? fieldProblems(node, starting, known) : filterProblems(event);
      return problems.map((one) => problemAt(node.id)('warning', one));
    }),
  ];
}

function triggerEvent({ type, data }: PlanNode): AwaitedEvent | undefined {
  const read = type === triggerType ? readData(TriggerData, data) : undefined;
  return read?.success ? { topic: read.data.event, filter: read.data.filter ?? [], match: 'all' } : undefined;
}

function filterProblems({ topic, filter }: AwaitedEvent): string[] {
  const known = fieldsOf(topic);
  return filter.flatMap(({ field }, index) => {
    if (field.startsWith('step.')) {
      return [`filter[${index}].field: A filter cannot use steps. Use a condition instead.`];
    }
    return isMissing(field, known)
      ? [`filter[${index}].field: ${topic} has no field ${quoted(field)}. It has ${listed(known)}.`]
      : [];
  });
}

/** @param starting the events that runs begin with. */
function fieldProblems(
  { data }: PlanNode,
  starting: ReadonlySet<Topic>,
  known: ReadonlySet<string>,
): string[] {
  if (starting.size === 0) {
    return [];
  }
  const who = starting.size === 1 ? `${[...starting][0]} does` : `${[...starting].join(' and ')} do`;
  return [...new Set(fieldsNamedIn(data))]
    .filter((field) => isMissing(field, known))
    .slice(0, maxProblems)
    .map((field) => `It refers to ${quoted(field)}, which ${who} not have.`);
}

/** Whether a field is one of the event, and not among those that are known. Such a field may have parts: `event.customFields.size`. */
function isMissing(field: string, known: ReadonlySet<string>): boolean {
  const [root, name = ''] = field.split('.', 2);
  return root === 'event' && !known.has(name);
}

const listed = (names: ReadonlySet<string>) => [...names].map((name) => `event.${name}`).join(', ');
