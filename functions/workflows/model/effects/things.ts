/** The first part of the sort key of the record that an effect creates, by the name that the receipt gives to its id. */
export const kindsOfThings: Readonly<Record<string, string>> = {
  messageId: 'MESSAGE',
  noteId: 'NOTE',
  reminderId: 'REMINDER',
  applicationId: 'APPLICATION',
  notificationId: 'NOTIFICATION',
  startedRunId: 'RUN',
};
