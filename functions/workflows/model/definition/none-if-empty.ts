import * as z from 'zod/mini';
import { orEmpty } from '../../../../shared/kernel/schemas/fields.ts';

/** An optional field of a node in which an empty text of a form counts as null, and the catalogue of nodes says so. */
export const noneIfEmptyIn = <S extends z.ZodMiniType>(schema: S): S =>
  orEmpty(schema.check(z.meta({ noneIfEmpty: true })));
