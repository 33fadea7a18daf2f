export const holidayDescriptions = {
  date: 'The day, as `YYYY-MM-DD`.',
  label: 'A name for the day, like `Christmas Day`; may be empty.',
};

export const exceptionalHoursDescriptions = {
  ...holidayDescriptions,
  closed: 'Whether the organization is closed all day; the times are then ignored.',
  start: 'When the day begins, as `HH:mm`.',
  end: 'When it ends, as `HH:mm`. Not after `start`: on the next day. 23:59 includes that minute, until midnight.',
};
