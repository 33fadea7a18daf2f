import { element } from './element.ts';
import { onClick, type Tell } from './panel.ts';
import { sendRequest } from './request.ts';

interface Rule {
  readonly field?: string;
  readonly operator?: string;
  readonly value?: unknown;
}

interface Node {
  readonly id: string;
  readonly type: string;
  readonly data?: { readonly event?: string; readonly filter?: readonly Rule[] };
}

interface Workflow {
  readonly _id: string;
  readonly name: string;
  readonly nodes: readonly Node[];
}

interface Step {
  readonly nodeId: string;
  readonly type: string;
  readonly status: string;
  readonly way?: string;
  readonly reason?: string;
  readonly text?: string;
  readonly until?: string;
}

/** Lets the reader simulate a workflow, and shows the steps that a run would take. */
export function tryWorkflows(tokenNow: () => string | undefined): void {
  const choice = element('workflow-choice') as HTMLSelectElement;
  let workflows: readonly Workflow[] = [];
  const load = async () => {
    const token = tokenNow();
    if (token === undefined) {
      return;
    }
    const chosen = choice.value;
    workflows = (await sendRequest(token, '/api/workflows?limit=100')).data;
    choice.replaceChildren(...workflows.map(({ _id, name }) => new Option(name, _id, false, _id === chosen)));
  };
  const reload = () => void load().catch(() => undefined); // The button tells what is wrong.
  element('workflow').addEventListener('toggle', reload);
  choice.addEventListener('focus', reload);
  onClick({ button: 'workflow-simulate', list: 'workflow-steps' }, tokenNow, async (token, tell) => {
    if (workflows.length === 0) {
      await load();
    }
    const workflow = workflows.find(({ _id }) => _id === choice.value);
    if (workflow === undefined) {
      tell('There is no workflow. Try the example of POST /api/workflows.');
      return;
    }
    const answers = (element('workflow-answers') as HTMLInputElement).checked;
    await simulate({ token, tell }, workflow, answers);
  });
}

/** The first trigger happens to a contact that does not exist. */
async function simulate(
  { token, tell }: { readonly token: string; readonly tell: Tell },
  { _id, nodes }: Workflow,
  answers: boolean,
): Promise<void> {
  const { event: topic, filter } = nodes.find(({ type }) => type === 'trigger')?.data ?? {};
  if (topic === undefined) {
    tell('Nothing starts this workflow: it has no trigger with an event.');
    return;
  }
  const waits = answers ? nodes.filter(({ type }) => type === 'waitForEvent') : [];
  const { data } = await sendRequest(token, `/api/workflows/${encodeURIComponent(_id)}/simulate`, {
    topic,
    event: eventFor(filter),
    decisions: Object.fromEntries(waits.map(({ id }) => [id, 'received'])),
  });
  tell(`Event: ${topic}`);
  for (const step of data.path as Step[]) {
    tell(lineOf(step));
  }
  for (const { status, reason } of data.runs) {
    tell(`The run: ${status}${reason === undefined ? '' : `, ${reason}`}.`);
  }
}

/** Fields of an event that passes the filter, if the filter is simple. */
function eventFor(filter: readonly Rule[] = []): Record<string, unknown> {
  return Object.fromEntries(
    filter
      .filter(({ field, operator }) => operator === 'equals' && field?.startsWith('event.'))
      .map(({ field = '', value }) => [field.slice('event.'.length), value]),
  );
}

function lineOf({ nodeId, type, status, way, reason, text, until }: Step): string {
  return [
    `${nodeId} (${type}): ${status}`,
    way && `, along “${way}”`,
    reason && `, ${reason}`,
    status === 'waiting' && until && ` until ${new Date(until).toLocaleString()}`,
    text && ` “${text}”`,
  ]
    .filter(Boolean)
    .join('');
}
