import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operators } from '../../functions/workflows/model/definition/filter.ts';
import { ruleLimit, rulesLimit } from '../../functions/workflows/model/definition/node-fields.ts';
import {
  longestName,
  longestRun,
  reentries,
  runLimits,
  tooLong,
  windows,
} from '../../functions/workflows/model/definition/plan.ts';
import { settingSchemas, toSettings } from '../../functions/workflows/model/definition/settings.ts';
import { filtersLimit, maxTriggers } from '../../functions/workflows/model/definition/triggers.ts';
import { workflowLimits } from '../../functions/workflows/model/definition/workflow-schemas.ts';
import { failuresInARow } from '../../functions/workflows/model/runs/failures.ts';
import { maxListedRefusals, refusalReasons } from '../../functions/workflows/model/runs/refusals.ts';
import { keptFor } from '../../functions/workflows/model/runs/run-actions.ts';
import { longestChain, startsInAnHour } from '../../functions/workflows/model/triggers/decide-starts.ts';
import { maxContacts } from '../../functions/workflows/model/triggers/start-by-hand.ts';
import { startsAtOnce } from '../../functions/workflows/model/triggers/start-times.ts';
import { projectRoot } from '../../infra/project.ts';
import { withTables, workflowPage } from '../../infra/workflow-tables.ts';
import { plainFields } from '../../shared/contacts/field-value.ts';
import { day, minute } from '../../shared/kernel/time.ts';
import { skipReasons } from '../../shared/workflows/run-statuses.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';

const page = await readFile(join(projectRoot, workflowPage), 'utf8');
const [graph, request, response] = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) =>
  JSON.parse(text),
);

function section(title: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
}

/** What stands between backticks. */
const wordsIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word);

const number = (value: number) => value.toLocaleString('en');

test('The page of workflows has the types of nodes and the events of the catalogue: `npm run workflow-tables`', () => {
  expect(page).toBe(withTables(page));
});

test('The example on the page has no problems, and would do what the page says', async () => {
  const { product, rep } = await setUpTenants();
  const { data } = expectStatus(
    await product.call('create-workflow', { token: rep.token, body: graph }),
    201,
  );
  const path = { id: data._id };
  expect(expectStatus(await product.call('check-workflow', { token: rep.token, path }), 200).data).toEqual({
    runnable: true,
    problems: [],
  });
  const simulate = (body: object) => product.call('simulate-workflow', { token: rep.token, path, body });
  expect(expectStatus(await simulate(request), 200)).toEqual(response);
  const received = await simulate({ ...request, decisions: { answer: 'received' } });
  expect(received.body.data.path.at(-1)).toMatchObject({ nodeId: 'keen', status: 'passed' });
});

test('The page names every reason for which a step is skipped or a run does not start', () => {
  expect(wordsIn(section('Types of nodes'))).toEqual(expect.arrayContaining([...skipReasons]));
  expect(wordsIn(section('Guards'))).toEqual(expect.arrayContaining([...refusalReasons, tooLong]));
});

test('The page names every field of a contact, and every operator of rules', () => {
  expect(wordsIn(section('Rules'))).toEqual(expect.arrayContaining([...operators, ...plainFields]));
});

test('The page names every setting with its values and its default', () => {
  const words = wordsIn(section('Settings'));
  expect(words).toEqual(expect.arrayContaining([...Object.keys(settingSchemas), ...reentries, ...windows]));
  const defaults = new Map(
    [...section('Settings').matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name, value = '']) => [
      name,
      value.replaceAll('`', ''),
    ]),
  );
  const { reentry, stopOnReply, window, goal, rate } = toSettings(undefined);
  expect(Object.fromEntries(defaults)).toEqual({
    reentry,
    stopOnReply: String(stopOnReply),
    goal: goal ?? 'none',
    window,
    rate: `{"value": ${rate.value * (minute / rate.milliseconds)}, "unit": "minute"}`,
  });
  expect(section('Settings')).toContain(`beyond the first ${startsAtOnce} of a burst`);
});

test('The page states the limits that hold', () => {
  const guards = section('Guards');
  for (const limit of [
    `more than ${longestChain} runs led to this one`,
    `${startsInAnHour} runs of one workflow have started for one contact within an hour`,
    `${number(runLimits.steps)} steps, ${runLimits.tokens} branches at once, ${longestRun / day} days`,
    `${failuresInARow} runs fail one after the other`,
    `${number(workflowLimits.nodes)} nodes, ${number(workflowLimits.edges)} edges, ${workflowLimits.bodyBytes / 1024 ** 2} MB`,
    `${maxTriggers} triggers, the filter of each ${rulesLimit / 1024} KB; ${filtersLimit / 1024} KB for those of one event; ${ruleLimit} rules; ${longestName} characters for the id of a node`,
    `the last ${maxListedRefusals} of`,
    `read for ${keptFor / day} days after the end`,
  ]) {
    expect(guards).toContain(limit);
  }
  expect(section('Events')).toContain(`for 1 to ${maxContacts} contacts`);
});
