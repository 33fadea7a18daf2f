import { expect, test } from 'vitest';
import { nodeTypeNamed } from '../../../functions/workflows/model/definition/catalogue.ts';

test.each([
  ['sendMessage', { template: 't' }, [['template', 't', 'template']]],
  ['sendMessage', { content: 'Hi' }, []],
  ['sendMessage', { content: 'Hi', from: '+1 555 0100' }, [['number', '+1 555 0100', 'from']]],
  ['sendMessage', { content: 'Hi', from: '{{event.to}}' }, []],
  ['assign', { userId: 'u' }, [['user', 'u', 'userId']]],
  ['assign', { userId: '{{event.userId}}' }, []],
  [
    'assign',
    { roundRobin: ['a', 'b'] },
    [
      ['user', 'a', 'roundRobin[0]'],
      ['user', 'b', 'roundRobin[1]'],
    ],
  ],
  [
    'updateContact',
    { set: { owner: 'u', assignees: ['{{contact.owner}}', 'v'] } },
    [
      ['user', 'u', 'set.owner'],
      ['user', 'v', 'set.assignees[1]'],
    ],
  ],
  ['addNote', { note: 'Hi', mentions: ['u'] }, [['user', 'u', 'mentions[0]']]],
  ['notifyUser', { userId: 'u', message: 'Hi' }, [['user', 'u', 'userId']]],
  [
    'moveStage',
    { stage: 'Won', pipelineId: 'p' },
    [
      ['pipeline', 'p', 'pipelineId'],
      ['stage', 'Won', 'stage'],
    ],
  ],
  ['createApplication', { name: 'Loan' }, []],
  ['moveApplication', { stage: 'Won' }, [['stage', 'Won', 'stage']]],
  ['startWorkflow', { workflowId: 'w' }, [['workflow', 'w', 'workflowId']]],
  ['stopOthers', { workflowIds: ['w'] }, [['workflow', 'w', 'workflowIds[0]']]],
] as const)(
  'The records that a step names can be looked up before it runs: %s %o',
  (type, data, expected) => {
    const nodeType = nodeTypeNamed(type);
    const references = nodeType?.references?.(nodeType.schema.parse(data)) ?? [];
    expect(references.map(({ kind, id, path }) => [kind, id, path])).toEqual(expected);
  },
);
