import { hour } from '../../shared/kernel/time.ts';

/** The beginning of the hour of this time, in UTC. */
export const startOfHour = (date: Date) => new Date(Math.floor(date.getTime() / hour) * hour);
