import { expect, test } from 'vitest';
import { decided, pipelineWith, stateWith } from './decided.ts';

const passed = { status: 'passed' };
const skipped = (reason: string) => ({ outcome: { status: 'skipped', reason } });
const onContact = (operation: string, body: object) => ({
  outcome: passed,
  effect: { operation, path: { id: 'ada' }, body },
});
const pipelines = [
  pipelineWith('sales', 'Contact', ['New', 'Won']),
  pipelineWith('partners', 'Contact', ['Won', 'Signed']),
  pipelineWith('loans', 'Application', ['Sent', 'Won']),
];

test('Tags are added and taken away with their placeholders filled', () => {
  const context = { event: { source: 'Fair' } };
  const tags = ['vip', 'from {{event.source|nowhere}}'];
  expect(decided('addTags', { tags }, { context })).toEqual(
    onContact('update-contact', { addTags: ['vip', 'from Fair'] }),
  );
  expect(decided('removeTags', { tags })).toEqual(
    onContact('update-contact', { removeTags: ['vip', 'from nowhere'] }),
  );
});

test('Fields of a contact are set with the placeholders of all texts filled, however deep, and nothing else changed', () => {
  const set = {
    firstName: '{{event.name}}',
    email: null,
    phoneNumbers: [{ value: '{{event.from}}', isPrimary: true }],
    owner: '{{contact.createdBy}}',
    setCustomFields: { '{{key}}': ['{{firstName}}', 7, { deep: '{{event.name}}' }, null] },
    addTags: ['{{event.name}}'],
  };
  const context = { event: { name: 'Grace', from: '+15550199' } };
  expect(decided('updateContact', { set }, { context })).toEqual(
    onContact('update-contact', {
      firstName: 'Grace',
      email: null,
      phoneNumbers: [{ value: '+15550199', isPrimary: true }],
      owner: 'maker',
      setCustomFields: { '{{key}}': ['Ada', 7, { deep: 'Grace' }, null] },
      addTags: ['Grace'],
    }),
  );
});

test('A stage is named by its id, or by its name in a pipeline', () => {
  const request = (data: object) => decided('moveStage', data, { context: { pipelines } });
  expect(request({ stage: 'Won' })).toEqual(onContact('move-contact', { stage: 'Won' }));
  expect(request({ stage: 'partners-Won' })).toEqual(onContact('move-contact', { stageId: 'partners-Won' }));
  expect(request({ stage: 'Signed', pipelineId: 'partners' })).toEqual(
    onContact('move-contact', { stage: 'Signed', pipelineId: 'partners' }),
  );
  expect(request({ stage: 'unknown' })).toEqual(onContact('move-contact', { stage: 'unknown' }));
});

test('A step reads names and texts in the form in which contacts and pipelines have them, however they are encoded', () => {
  const size = 'größe';
  const sent = 'Cafe\u0301 {{contact.customFields.gro\u0308\u00dfe|u\u0308}}';
  const context = { state: stateWith({ customFields: { [size]: 'groß' } }) };
  expect(decided('addTags', { tags: [sent] }, { context })).toEqual(
    onContact('update-contact', { addTags: ['Café groß'] }),
  );
  const set = { setCustomFields: { [size.normalize('NFD')]: 'e\u0301' }, firstName: 'A\nb\u200b' };
  expect(decided('updateContact', { set }, { context })).toEqual(
    onContact('update-contact', { setCustomFields: { [size]: 'é' }, firstName: 'A\nb\u200b' }),
  );
  expect(decided('moveStage', { stage: 'CAFE\u0301' }, { context: { pipelines } })).toEqual(
    onContact('move-contact', { stage: 'CAFÉ' }),
  );
});

test('A contact is assigned to the user whom the step names, or whom a placeholder stands for', () => {
  const extra = { position: 0, available: [] };
  const to = (userId: string, event = {}) => decided('assign', { userId }, { context: { event }, extra });
  expect(to('rep')).toEqual(onContact('update-contact', { owner: 'rep' }));
  expect(to('{{event.userId}}', { userId: 'caller' })).toEqual(
    onContact('update-contact', { owner: 'caller' }),
  );
  expect(to('{{event.userId}}')).toEqual(skipped('no_user'));
});

test('Users in turn each take the next one; who is not there is passed over, and has had a turn', () => {
  const roundRobin = ['a', 'b', 'c'];
  const next = (position: number, available: string[]) => {
    const {
      effect,
      roundRobin: move,
      outcome,
    } = decided('assign', { roundRobin }, { extra: { position, available } });
    return effect === undefined ? outcome : { ...(effect.body as object), ...move };
  };
  expect(next(0, ['a', 'b', 'c'])).toEqual({ owner: 'a', before: 0, after: 1 });
  expect(next(4, ['a', 'b', 'c'])).toEqual({ owner: 'b', before: 4, after: 5 });
  expect(next(4, ['a', 'c'])).toEqual({ owner: 'c', before: 4, after: 6 });
  expect(next(5, ['b'])).toEqual({ owner: 'b', before: 5, after: 8 });
  expect(next(5, [])).toEqual({ status: 'skipped', reason: 'no_user' });
});

test('A note has its text filled, and mentions the users whom its placeholders stand for', () => {
  const data = {
    note: '{{firstName}} wrote: {{event.text}}',
    mentions: ['{{contact.owner}}', '{{event.userId}}'],
  };
  expect(decided('addNote', data, { context: { event: { text: 'Yes' } } })).toEqual({
    outcome: passed,
    effect: {
      operation: 'create-note',
      body: { contactId: 'ada', note: 'Ada wrote: Yes', mentions: ['rep'] },
      resultId: 'noteId',
    },
  });
});

test('A reminder is for a time after the step, for a time, or for what a placeholder stands for', () => {
  const remindAt = (data: object, contact = {}) =>
    decided(
      'createReminder',
      { note: 'Call {{firstName}}', ...data },
      { context: { state: stateWith(contact) } },
    );
  const reminder = (at: string) => ({
    outcome: passed,
    effect: {
      operation: 'create-reminder',
      body: { contactId: 'ada', note: 'Call Ada', remindAt: at },
      resultId: 'reminderId',
    },
  });
  expect(remindAt({ in: { value: 2, unit: 'days' } })).toEqual(reminder('2026-03-04T10:00:00.000Z'));
  expect(remindAt({ remindAt: '2027-01-01' })).toEqual(reminder('2027-01-01'));
  expect(remindAt({ remindAt: '{{renewal}}' }, { customFields: { renewal: '2028-02-29' } })).toEqual(
    reminder('2028-02-29'),
  );
  expect(remindAt({})).toEqual(skipped('invalid_data'));
  expect(remindAt({ remindAt: 'tomorrow' })).toEqual(skipped('invalid_data'));
  expect(remindAt({ remindAt: '2027-01-01', in: { value: 1, unit: 'days' } })).toEqual(
    skipped('invalid_data'),
  );
});

test('An application is created with its texts filled, in the stage that the step names', () => {
  const data = {
    name: 'Loan of {{lastName}}',
    stage: 'Sent',
    pipelineId: 'loans',
    customFields: { by: '{{event.userId|nobody}}' },
  };
  expect(decided('createApplication', data, { context: { pipelines } })).toEqual({
    outcome: passed,
    effect: {
      operation: 'create-application',
      body: {
        contactId: 'ada',
        name: 'Loan of Lovelace',
        stage: 'Sent',
        pipelineId: 'loans',
        customFields: { by: 'nobody' },
      },
      resultId: 'applicationId',
    },
  });
  const plain = decided('createApplication', { name: 'Loan' }, { context: { pipelines } });
  expect(plain.effect?.body).toEqual({ contactId: 'ada', name: 'Loan' });
});

test('A user is notified with the text filled: the one whom the step names, else the owner of the contact', () => {
  const notified = (data: object, contact = {}) =>
    decided(
      'notifyUser',
      { message: '{{firstName}} is here', ...data },
      { context: { state: stateWith(contact) } },
    );
  const notifying = (userId: string) => ({
    outcome: passed,
    effect: {
      operation: 'notify-user',
      body: { contactId: 'ada', userId, message: 'Ada is here' },
      resultId: 'notificationId',
    },
  });
  expect(notified({})).toEqual(notifying('rep'));
  expect(notified({ userId: 'head' })).toEqual(notifying('head'));
  expect(notified({ userId: '{{contact.createdBy}}' })).toEqual(notifying('maker'));
  expect(notified({}, { owner: null })).toEqual(skipped('no_user'));
  expect(notified({ userId: '{{event.userId}}' })).toEqual(skipped('no_user'));
});

test('Another workflow is started for the contact, and other runs of the contact are ended', () => {
  expect(decided('startWorkflow', { workflowId: 'other' })).toEqual({
    outcome: passed,
    effect: {
      operation: 'run-workflow',
      path: { id: 'other' },
      body: { contactId: 'ada' },
      resultId: 'startedRunId',
    },
  });
  expect(decided('stopOthers', {})).toEqual(onContact('cancel-runs-of-contact', {}));
  expect(decided('stopOthers', { workflowIds: ['a', 'b'] })).toEqual(
    onContact('cancel-runs-of-contact', { workflowIds: ['a', 'b'] }),
  );
});

test('Null for an optional field of a step is as if it were absent, and takes away an email address or a custom field', () => {
  const set = { lastName: null, email: null, setCustomFields: { size: null } };
  expect(decided('updateContact', { set })).toEqual(
    onContact('update-contact', { email: null, setCustomFields: { size: null } }),
  );
  expect(decided('notifyUser', { userId: null, message: 'Look' }).effect?.body).toMatchObject({
    userId: 'rep',
  });
});
