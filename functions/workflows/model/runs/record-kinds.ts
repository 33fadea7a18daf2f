/** The first part of the sort key of the record that an effect creates, by the field of the receipt that has its id. */
export const recordKinds: Readonly<Record<string, string>> = {
  messageId: 'MESSAGE',
  noteId: 'NOTE',
  reminderId: 'REMINDER',
  applicationId: 'APPLICATION',
  notificationId: 'NOTIFICATION',
  startedRunId: 'RUN',
};
