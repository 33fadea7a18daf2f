import type { Key } from '../table/key.ts';

/** The days of the week in the contract. */
type Day = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

/**
 * From `start` to `end`, both `HH:mm`. An `end` that is not after `start` is on the next day; one of 23:59 includes that minute. A closed
 * day needs no times.
 */
export interface OpeningHours {
  enabled: boolean;
  start?: string;
  end?: string;
}

/** A whole closed day, `YYYY-MM-DD`. */
export interface Holiday {
  date: string;
  label: string;
}

/** The hours of one day, which replace the week's. A closed day needs no times. */
export interface ExceptionalHours {
  date: string;
  closed: boolean;
  start?: string;
  end?: string;
  label: string;
}

/**
 * When an organization is open. Exceptional hours override holidays, which override the week. Source: specification,
 * "Business-hours configuration"; decisions 7.
 */
export interface BusinessHours {
  /** A name of the IANA time zone database. */
  timezone: string;
  /** By day; a missing day is closed. Null if there is no schedule. */
  businessHours: { [day in Day]?: OpeningHours } | null;
  holidays: Holiday[];
  exceptionalHours: ExceptionalHours[];
  allowUserBusinessHoursOverride: boolean;
}

/** Not in the organization's record, which every login reads, because they may be large. */
export const businessHoursKey = (): Key<BusinessHours> => ({ partition: [], sort: ['BUSINESS_HOURS'] });

const initial: BusinessHours = {
  timezone: 'UTC',
  businessHours: null,
  holidays: [],
  exceptionalHours: [],
  allowUserBusinessHoursOverride: false,
};

/** Their key, and the values until somebody sets them. */
export const businessHours = { key: businessHoursKey(), initial } as const;
