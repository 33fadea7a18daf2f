import * as z from 'zod/mini';
import { IsoMoment, parseMoment, QueryMoment } from '../../../shared/organizations/written-times.ts';

const isCurrent = z.refine<string>(
  (text) => !(parseMoment(text, 'UTC').getTime() < 0),
  'must not be before 1970',
);

/** A moment of the years in which clocks and calendars are as today. */
export const CurrentMoment = IsoMoment.check(isCurrent);
/** The same in a query. */
export const QueryCurrentMoment = QueryMoment.check(isCurrent);
