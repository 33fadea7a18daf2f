/** What the fields of business hours mean, sent and answered. */
export const openingHoursDescriptions = {
  enabled: 'Whether the day is a working day.',
  start: 'When it begins, as `HH:mm`.',
  end: 'When it ends, as `HH:mm`. Before `start`: on the next day.',
};

export const dayDescriptions = {
  monday: 'Hours on Mondays.',
  tuesday: 'Hours on Tuesdays.',
  wednesday: 'Hours on Wednesdays.',
  thursday: 'Hours on Thursdays.',
  friday: 'Hours on Fridays.',
  saturday: 'Hours on Saturdays.',
  sunday: 'Hours on Sundays.',
};

export const holidayDescriptions = { date: 'The day.', label: 'What day it is; may be empty.' };

export const exceptionalHoursDescriptions = {
  ...holidayDescriptions,
  closed: 'Whether nobody is there all day; the times then do not matter.',
  start: 'When the day begins, as `HH:mm`.',
  end: 'When it ends, as `HH:mm`. Before `start`: on the next day.',
};
