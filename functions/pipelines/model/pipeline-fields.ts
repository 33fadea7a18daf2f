import * as z from 'zod/mini';
import { stageLimit } from '../../../shared/contacts/pipeline.ts';
import { nameKey } from '../../../shared/kernel/names/folded.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { Id, Name } from '../../../shared/kernel/schemas/fields.ts';

// Boards are objects by stage name.
const StageName = Name.check(z.refine((name) => name !== '__proto__', 'must not be __proto__'));

const isWithoutRepetition = (values: readonly (string | undefined)[]) => {
  const defined = values.filter((value) => value !== undefined);
  return new Set(defined).size === defined.length;
};

const NewStage = described(z.object({ name: StageName }), {
  name: 'The name of the stage, unique in the pipeline, whatever the case.',
});
const Stage = described(z.object({ name: StageName, _id: z.optional(Id) }), {
  name: 'The name of the stage, unique in the pipeline, whatever the case.',
  _id: 'The id of a stage that the pipeline already has.',
});

export const NewStages = z.array(NewStage).check(
  z.minLength(1),
  z.maxLength(stageLimit),
  z.refine(
    (stages) => isWithoutRepetition(stages.map(({ name }) => nameKey(name))),
    'must not contain the same name twice',
  ),
);

/** All stages of the changed pipeline, in the order of the board. */
export const Stages = z.array(Stage).check(
  z.minLength(1),
  z.maxLength(stageLimit),
  z.refine(
    (stages) => isWithoutRepetition(stages.map(({ name }) => nameKey(name))),
    'must not contain the same name twice',
  ),
  z.refine(
    (stages) => isWithoutRepetition(stages.map(({ _id }) => _id)),
    'must not contain the same stage twice',
  ),
);
export type RequestedStages = z.output<typeof Stages>;
