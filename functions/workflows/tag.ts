import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Workflows',
    description:
      'Graphs that run by themselves: an event starts a run for a contact, and each of its steps happens exactly once, with the rights that the owner of the workflow has at that moment. `GET /api/workflow-node-types` lists what a graph can be made of, `check` says what is wrong with one, `simulate` what it would do, and its `runs` what they did.',
  },
  {
    name: 'Automations',
    description:
      'Automations are [Workflows](#/Workflows); their texts are [Templates](#/Templates) of the type `automation`.',
  },
] satisfies Tags;
