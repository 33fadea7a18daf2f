/** Why requests make more than two round trips to the table. */
export const reasons: Readonly<Record<string, string>> = {
  'accept-invitation': 'the invitation, who sent it and its departments, the transaction',
  'answer-inbound-call':
    "the number's lock, then the contact that it names or the pipelines for a new one, then the transaction",
  'cancel-runs-of-contact': 'the runs of the contact, each as it is now, and the transaction of its end',
  'change-password':
    'the user, the account by their address, then the change, which must not happen while the throttle blocks',
  'delete-department': 'members are looked for after the version that a new one would raise',
  'delete-factor':
    'the user with the factor, the account by their address, then the deletion, which must not happen while the throttle blocks; 2 with a code',
  'delete-message':
    'the conversations of its contact, the message in one of them, the transaction; 4 for one on its way that was read, retries another, or answers a missed call',
  'discard-call':
    "what is attached to the contact is read after the contact's version, so that nothing arrives unseen",
  'import-contacts': 'the pipelines, the announcement of the stored file, the job',
  'list-duplicates':
    'the contact, then the counters of the board that each search of it looks through, one search after the other',
  'list-workflow-runs':
    'runs under way before those that ended, so that none is missed that ends meanwhile, then the runs, then their steps',
  login: 'the account, its user, then the session, which must not open while the throttle blocks',
  'receive-call':
    "whose number it is, the lock of the caller's number, the transaction; 4 for the number of a contact, which is read before that",
  'receive-lead':
    'whose configuration it is, the lock of the number, the transaction; 4 for the number of a contact, which is read before that',
  'receive-sms':
    "whose number it is, the lock of the sender's number, the transaction; 4 for the number of a contact, which is read before that",
  'receive-status':
    "the message by the provider's id, the message, the transaction; 2 at the address that the provider was given",
  'record-missed-call':
    "the number's lock, then the contact that it names or the pipelines for a new one, then the transaction",
  'reset-password': "the token with its user, that user's account, the change",
  'retry-message': 'the conversation by its contact, the message in that conversation, the transaction',
  'run-workflow':
    'its triggers and who may be run, what a start depends on, the transaction; 5 for several contacts',
  'simulate-workflow':
    'follows a whole run: what each step reads for the first time, and what its transaction would check',
  'start-outbound-call':
    "the number's lock, then the contact that it names or the pipelines for a new one, then the transaction",
  'undo-contact-change':
    'the change, the contact as it is, whose the numbers of the other one are by now, then the transaction',
  'upsert-contact':
    'the pipelines, what finds the contact, the contact that is found, the transaction; 1 or 2 more for an email address',
};
