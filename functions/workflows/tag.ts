import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Workflows',
    description: [
      'Graphs of nodes and edges that run by themselves: an event starts a run for a contact, and each of its steps passes, waits, is skipped with a reason, or fails. Each step has its effect exactly once, with the rights that the owner of the workflow has at that moment, and runs stay on the revision that they started on.',
      '`GET /api/workflow-node-types` lists what a graph can be made of, `check` says what is wrong with one, `simulate` what it would do; its `runs` say what it did, and `statistics` how often. A page for people who build graphs, with all rules, guards and costs, is `functions/workflows/README.md` in the sources.',
    ].join('\n\n'),
  },
] satisfies Tags;
