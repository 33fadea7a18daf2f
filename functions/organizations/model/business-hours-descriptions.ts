export const holidayDescriptions = { date: 'The day.', label: 'What day it is; may be empty.' };

export const exceptionalHoursDescriptions = {
  ...holidayDescriptions,
  closed: 'Whether nobody is there all day; the times then do not matter.',
  start: 'When the day begins, as `HH:mm`.',
  end: 'When it ends, as `HH:mm`. Before `start`: on the next day.',
};
