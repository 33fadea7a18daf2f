import { expect, test } from 'vitest';
import { eventFor } from '../../functions/live/model/audience.ts';
import type { StoredEvent } from '../../shared/events/outbox.ts';
import { contactsClient } from '../contacts/client.ts';
import { eventsDuring } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { applicationsClient } from './client.ts';

const { product, admin, rep, otherRep } = await setUpTenants();

const clientOf = (person: Person) => applicationsClient(product, person);

const eventsIn = <Result>(act: () => Promise<Result>) => eventsDuring(product, admin.organizationId, act);

const isTold = (event: StoredEvent | undefined, { userId }: Person) =>
  event !== undefined &&
  eventFor({ userId, scope: { kind: 'users', userIds: new Set([userId]) } }, event) !== undefined;

test('A new application, each move and its end emit exactly one contact_updated with the applicationId', async () => {
  const contact = await contactsClient(product, admin).created({ firstName: 'Ada', owner: rep.userId });
  const ids = { contactId: contact._id, pipelineId: contact.pipelineId, stageId: contact.stageId };
  const audience = { kind: 'record', people: [admin.userId, rep.userId] };

  const made = await eventsIn(() => clientOf(rep).created({ contactId: contact._id, name: 'Loan' }));
  const application = made.result;
  const applicationId = application._id;
  expect(made.events).toEqual([
    {
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      at: expect.any(String),
      actor: { type: 'user', id: rep.userId },
      requestId: expect.any(String),
      event: 'contact_updated',
      data: { ...ids, applicationId, fromApplicationStageId: null, application },
      audience,
      change: { application: { transition: 'created', name: 'Loan' }, stage: 'Submitted' },
    },
  ]);

  const moved = await eventsIn(() => clientOf(admin).move(applicationId, { stage: 'Approved' }));
  const { stageId: fromApplicationStageId } = application;
  expect(moved.events).toMatchObject([
    {
      event: 'contact_updated',
      data: {
        ...ids,
        applicationId,
        fromApplicationStageId,
        application: expectStatus(moved.result, 200).data,
      },
      audience,
    },
  ]);

  const deleted = await eventsIn(() => clientOf(rep).remove(applicationId));
  expect(deleted.events).toMatchObject([
    { event: 'contact_updated', data: { ...ids, applicationId, application: null }, audience },
  ]);
});

test('No contact_updated goes to the user who made the application, once they no longer see the contact', async () => {
  const contacts = contactsClient(product, admin);
  const { _id: contactId } = await contacts.created({ firstName: 'Lost', owner: rep.userId });
  const { _id } = await clientOf(rep).created({ contactId, name: 'Loan' });
  expectStatus(await contacts.update(contactId, { owner: null }), 200);
  const { events } = await eventsIn(() => clientOf(admin).move(_id, { stage: 'Declined' }));
  expect(events.map((event) => [isTold(event, rep), isTold(event, otherRep)])).toEqual([[false, false]]);

  const { events: removals } = await eventsIn(() => contacts.remove(contactId));
  expect(removals.map(({ event }) => event)).toEqual(['contact_removed']);
  expect([isTold(removals[0], rep), isTold(removals[0], otherRep)]).toEqual([false, false]);
});

test('A move to where the application is, and what was refused, emit no event', async () => {
  const { _id: contactId } = await contactsClient(product, admin).created({ firstName: 'Ada' });
  const { _id } = await clientOf(admin).created({ contactId, name: 'Loan' });
  const { events, result } = await eventsIn(async () => [
    await clientOf(admin).move(_id, { stage: 'Submitted' }),
    await clientOf(admin).move(_id, { stage: 'Nowhere' }),
    await clientOf(otherRep).remove(_id),
    await clientOf(otherRep).create({ contactId, name: 'Sly' }),
  ]);
  expect(result.map(({ status }) => status)).toEqual([200, 404, 404, 404]);
  expect(events).toEqual([]);
});
