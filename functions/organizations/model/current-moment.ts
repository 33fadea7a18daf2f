import * as z from 'zod/mini';
import { IsoMoment, momentOf } from '../../../shared/time-range.ts';

/** A moment of the years in which clocks and calendars are as today. */
export const CurrentMoment = IsoMoment.check(
  z.refine((text) => !(momentOf(text).getTime() < 0), 'must not be before 1970'),
);
