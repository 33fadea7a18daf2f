import type { Key } from '../../../shared/table/key.ts';

/** Days of a week as the contract names them. */
type Day = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

/** From `start` to `end`, both `HH:mm`. An `end` that is not after its `start` lies on the next day. */
export interface OpeningHours {
  enabled: boolean;
  start: string;
  end: string;
}

/** A whole day, `YYYY-MM-DD`, on which nobody is there. */
export interface Holiday {
  date: string;
  label: string;
}

/** The hours of a single day, in place of the week's; neither time when it is closed. */
export interface ExceptionalHours {
  date: string;
  closed: boolean;
  start?: string;
  end?: string;
  label: string;
}

/**
 * When an organization is open. Of what says something of a moment, exceptional hours come before holidays, and those
 * before the week. Source: specification, "Business-hours configuration"; decisions 7.
 */
export interface BusinessHours {
  /** A name of the time zone database. */
  timezone: string;
  /** By day; a day left out is closed. Null when there is no schedule. */
  businessHours: { [day in Day]?: OpeningHours } | null;
  holidays: Holiday[];
  exceptionalHours: ExceptionalHours[];
  allowUserBusinessHoursOverride: boolean;
}

/** Apart from the organization's record, which every login reads: they may be large. */
export const businessHoursKey = (): Key<BusinessHours> => ({ partition: [], sort: ['BUSINESS_HOURS'] });

const initial: BusinessHours = {
  timezone: 'UTC',
  businessHours: null,
  holidays: [],
  exceptionalHours: [],
  allowUserBusinessHoursOverride: false,
};

/** Where they lie, and what holds before anybody has set them. */
export const businessHours = { key: businessHoursKey(), initial } as const;
