/** What the fields of business hours mean, sent and answered. */
export const openingHoursMeanings = {
  enabled: 'Whether the day is a working day.',
  start: 'When it begins, as `HH:mm`.',
  end: 'When it ends, as `HH:mm`. Before `start`: on the next day.',
};

export const dayMeanings = {
  monday: 'Hours on Mondays.',
  tuesday: 'Hours on Tuesdays.',
  wednesday: 'Hours on Wednesdays.',
  thursday: 'Hours on Thursdays.',
  friday: 'Hours on Fridays.',
  saturday: 'Hours on Saturdays.',
  sunday: 'Hours on Sundays.',
};

export const holidayMeanings = { date: 'The day.', label: 'What day it is; may be empty.' };

export const exceptionalHoursMeanings = {
  ...holidayMeanings,
  closed: 'Whether nobody is there all day; the times then do not matter.',
  start: 'When the day begins, as `HH:mm`.',
  end: 'When it ends, as `HH:mm`. Before `start`: on the next day.',
};
