import { doubtfulPlaceholder, looseBraces } from '../../../../shared/messages/fill-placeholders.ts';
import { nodeTypeNamed, otherName } from './catalogue.ts';
import { TriggerData, triggerType } from './flow-nodes.ts';
import { type Graph, loopsWithoutWait, objectFields } from './graph.ts';
import { fieldsNamedIn, namesIn } from './named-fields.ts';
import { isIssue, readData, readDataOrIssue } from './node-data.ts';
import type { AnyNodeType } from './node-type.ts';
import { type AwaitedEvent, defaultBranch, findNode, longestName, type Plan, type PlanNode } from './plan.ts';
import { maxProblems, type Problem, problemAt, quotation } from './problem.ts';
import { settingProblems } from './settings.ts';
import { topicFields } from './topic-fields.ts';
import { type Topic, topics } from './topics.ts';
import { startingTriggers } from './triggers.ts';

/** The problems of a graph by itself, in the order of its nodes: as many as are listed. */
export function graphProblems(graph: Graph, plan: Plan): Problem[] {
  const reached = {
    atAll: nodesReached(plan, () => true),
    withContact: nodesReached(plan, ({ data: { event } }) => event !== 'contact.deleted'),
    otherNames: new Set(Object.values(plan.nodes).flatMap((node) => otherName(node) ?? [])),
  };
  const about = problemAt(null);
  const problems = [
    ...triggerProblems(plan),
    ...settingProblems(graph.settings).map((message) => about('warning', message)),
    ...longIds(graph),
    ...duplicateNodes(graph),
    ...strayEdges(graph, plan),
  ];
  // Reading the data of thousands of nodes would take a second, and only the first problems are listed.
  for (const node of Object.values(plan.nodes)) {
    if (problems.length >= maxProblems) {
      return problems.slice(0, maxProblems);
    }
    for (const problem of nodeProblems(plan, node, reached)) {
      problems.push(problem);
    }
  }
  return [...problems, ...eventProblems(plan), ...loopProblems(plan, reached.atAll)].slice(0, maxProblems);
}

function triggerProblems(plan: Plan): Problem[] {
  const { starting, others } = startingTriggers(plan);
  const known = others.map(({ nodeId, message }) => problemAt(nodeId)('error', message));
  const none = 'Nothing starts this workflow. Add a trigger, and name its event.';
  return starting.length === 0 ? [problemAt(null)('error', none), ...known] : known;
}

function longIds({ nodes }: Graph): Problem[] {
  return nodes
    .filter(({ id }) => id.length > longestName)
    .map(({ id }) =>
      problemAt(null)(
        'error',
        `The id of the node ${quotation(id)} has more than ${longestName} characters, so no run comes to it. Give it a shorter one.`,
      ),
    );
}

function duplicateNodes({ nodes }: Graph): Problem[] {
  const byId = Map.groupBy(nodes, ({ id }) => id);
  return Array.from(byId, ([id, those]) => ({ id, count: those.length }))
    .filter(({ count }) => count > 1)
    .map(({ id, count }) =>
      problemAt(id)('error', `${count} nodes have this id. Only the first one counts: give each its own.`),
    );
}

function strayEdges({ edges }: Graph, plan: Plan): Problem[] {
  const isStray = (id: string) => id.length <= longestName && findNode(plan, id) === undefined;
  const sources = new Set(edges.map(({ source }) => source).filter(isStray));
  return [...sources].map((id) =>
    problemAt(null)('warning', `An edge leaves ${quotation(id)}, but no node has this id. Remove the edge.`),
  );
}

/** The nodes that runs can come to. */
interface Reached {
  readonly atAll: ReadonlySet<string>;
  /** The nodes that runs can come to whose contact was not deleted before. */
  readonly withContact: ReadonlySet<string>;
  /** The names beside their ids by which fields may refer to steps. */
  readonly otherNames: ReadonlySet<string>;
}

function nodeProblems(plan: Plan, node: PlanNode, reached: Reached): Problem[] {
  const about = problemAt(node.id);
  const nodeType = nodeTypeNamed(node.type);
  const named = namesIn(node.data);
  return [
    ...reachProblems(node, reached),
    ...(nodeType === undefined
      ? [about('error', `${quotation(node.type)} is not a type of node. The step is skipped.`)]
      : typeProblems(node, nodeType)),
    ...Object.values(node.ways)
      .flat()
      .filter((target) => findNode(plan, target) === undefined)
      .map((target) => about('warning', `An edge leads to ${quotation(target)}, but no node has this id.`)),
    ...[...named.nodes]
      .filter((id) => findNode(plan, id) === undefined && !reached.otherNames.has(id))
      .slice(0, maxProblems)
      .map((id) => about('warning', `It refers to the step ${quotation(id)}, but no node has this id.`)),
    ...[...named.placeholders]
      .flatMap((name) => doubtfulPlaceholder(name, true) ?? [])
      .slice(0, maxProblems)
      .map((doubt) => about('warning', doubt)),
    ...(named.looseBraces ? [about('warning', looseBraces)] : []),
  ];
}

function reachProblems({ id, type }: PlanNode, { atAll, withContact }: Reached): Problem[] {
  const about = problemAt(id);
  if (!atAll.has(id)) {
    return [about('warning', 'No trigger leads here, so it never runs.')];
  }
  return nodeTypeNamed(type)?.needsContact && !withContact.has(id)
    ? [
        about(
          'warning',
          'Only contact.deleted leads here. The contact is gone by then, so the step is skipped.',
        ),
      ]
    : [];
}

function typeProblems(node: PlanNode, nodeType: AnyNodeType): Problem[] {
  const about = problemAt(node.id);
  const read = readDataOrIssue(nodeType.schema, node.data);
  if (isIssue(read)) {
    return [about('error', unreadable(node, read.issue))];
  }
  return branchProblems(node, nodeType.ways?.(read.data) ?? []);
}

function unreadable({ type, data }: PlanNode, issue: string): string {
  if (type !== triggerType) {
    return `The step is skipped, because its data is not valid: ${issue}.`;
  }
  const { event } = objectFields(data);
  return typeof event === 'string' && !(topics as readonly string[]).includes(event)
    ? `${quotation(event)} is not an event. ${likeliest(event)}`
    : `The trigger starts no runs, because its data is not valid: ${issue}.`;
}

/** Events to suggest in place of one that does not exist: those of the same kind. */
function likeliest(event: string): string {
  const [kind] = event.toLowerCase().split(/[._\s-]/, 1);
  const alike = topics.filter((topic) => topic.split('.', 1)[0] === kind);
  return alike.length === 0
    ? 'GET /api/workflow-node-types lists all events.'
    : `Choose one of ${alike.join(', ')}.`;
}

/** Edges of a way that no step takes. */
function branchProblems({ id, type, ways }: PlanNode, known: readonly string[]): Problem[] {
  const own =
    known.length === 0
      ? 'It has only the default way'
      : `Its ways are ${known.slice(0, 20).map(quotation).join(', ')}`;
  return Object.keys(ways)
    .filter((branch) => branch !== defaultBranch && branch !== 'error' && !known.includes(branch))
    .map((branch) =>
      problemAt(id)(
        'warning',
        `An edge leaves it by the way ${quotation(branch)}, which a ${type} does not have. ${own}.`,
      ),
    );
}

function loopProblems(plan: Plan, reached: ReadonlySet<string>): Problem[] {
  return loopsWithoutWait(plan)
    .filter(({ nodeIds: [first = ''] }) => reached.has(first))
    .map(({ nodeIds: [first = ''], hasExit }) =>
      hasExit
        ? problemAt(first)('warning', 'Runs can loop here without a wait. One that takes 1,000 steps fails.')
        : problemAt(first)(
            'error',
            'Runs loop here without a wait or a way out, until they fail after 1,000 steps.',
          ),
    );
}

/** The nodes that runs can come to that begin at some of the triggers. */
function nodesReached(plan: Plan, isFrom: (trigger: PlanNode) => boolean): ReadonlySet<string> {
  const open = Object.values(plan.nodes)
    .filter((node) => node.type === triggerType && isFrom(node))
    .map(({ id }) => id);
  const reached = new Set(open);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const target of Object.values(findNode(plan, id)?.ways ?? {}).flat()) {
      if (!reached.has(target)) {
        reached.add(target);
        open.push(target);
      }
    }
  }
  return reached;
}

/** The names of what is known of an event. */
const fieldsOfTopic = (topic: Topic): ReadonlySet<string> =>
  new Set(topicFields[topic].map(({ name }) => name));

/** Fields that a graph reads from events that do not have them: a rule about them never holds, and a placeholder stays empty. */
function eventProblems(plan: Plan): Problem[] {
  const { goal } = plan.settings;
  const nodes = Object.values(plan.nodes);
  const starting = new Set(nodes.flatMap((node) => triggerEvent(node)?.topic ?? []));
  const known = new Set([...starting].flatMap((topic) => [...fieldsOfTopic(topic)]));
  return [
    ...(goal === undefined
      ? []
      : filterProblems(goal).map((filterProblem) => problemAt(null)('warning', `goal: ${filterProblem}`))),
    ...nodes.flatMap((node) => {
      const event = triggerEvent(node) ?? nodeTypeNamed(node.type)?.listensTo?.(node.data);
      const problems = event === undefined ? fieldProblems(node, starting, known) : filterProblems(event);
      return problems.map((problem) => problemAt(node.id)('warning', problem));
    }),
  ];
}

function triggerEvent({ type, data }: PlanNode): AwaitedEvent | undefined {
  const read = type === triggerType ? readData(TriggerData, data) : undefined;
  return read?.success ? { topic: read.data.event, filter: read.data.filter ?? [], match: 'all' } : undefined;
}

function filterProblems({ topic, filter }: AwaitedEvent): string[] {
  const known = fieldsOfTopic(topic);
  return filter.flatMap(({ field }, index) => {
    if (field.startsWith('step.')) {
      return [`filter[${index}].field: A filter cannot use steps. Use a condition instead.`];
    }
    return isMissing(field, known)
      ? [`filter[${index}].field: ${topic} has no field ${quotation(field)}. It has ${listed(known)}.`]
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
    .map((field) => `It refers to ${quotation(field)}, which ${who} not have.`);
}

/** Whether a field is one of the event, and not among the known fields. Such a field may have parts: `event.customFields.size`. */
function isMissing(field: string, known: ReadonlySet<string>): boolean {
  const [root, name = ''] = field.split('.', 2);
  return root === 'event' && !known.has(name);
}

const listed = (names: ReadonlySet<string>) => [...names].map((name) => `event.${name}`).join(', ');
