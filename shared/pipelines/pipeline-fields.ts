import * as z from 'zod/mini';
import { Id, Name } from '../kernel/fields.ts';
import { stageLimit } from './pipeline.ts';

// Boards are objects by stage name, and those put keys that are whole numbers first.
const StageName = Name.check(
  z.refine((name) => name !== '__proto__' && !/^\d+$/.test(name), 'must not be a number alone, or __proto__'),
);

const isWithoutRepetition = (values: readonly (string | undefined)[]) => {
  const given = values.filter((value) => value !== undefined);
  return new Set(given).size === given.length;
};

const NewStage = z.object({ name: StageName });
const Stage = z.extend(NewStage, { _id: z.optional(Id) });

/** The stages of a new pipeline, in the order of the board. */
export const NewStages = z.array(NewStage).check(
  z.minLength(1),
  z.maxLength(stageLimit),
  z.refine((stages) => isWithoutRepetition(stages.map(({ name }) => name)), 'must not hold a name twice'),
);

/** All stages that a pipeline shall have, in the order of the board. */
export const Stages = z.array(Stage).check(
  z.minLength(1),
  z.maxLength(stageLimit),
  z.refine((stages) => isWithoutRepetition(stages.map(({ name }) => name)), 'must not hold a name twice'),
  z.refine((stages) => isWithoutRepetition(stages.map(({ _id }) => _id)), 'must not hold a stage twice'),
);
export type StagesWanted = z.output<typeof Stages>;
