import { expect, test, vi } from 'vitest';
import { renderedText } from '../../functions/workflows/model/execution/texts.ts';
import { filled } from '../../shared/messages/fill-placeholders.ts';
import { missedCallText } from '../../shared/messages/missed-call-text.ts';
import { storedContact } from '../contacts/stored-contact.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { checksIn, edge, node, trigger } from '../workflows/checking.ts';
import { contextWith } from '../workflows/engine/step-context.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;

const bob = storedContact({
  firstName: 'Bob',
  lastName: 'Lee',
  email: 'bob@example.com',
  phoneNumbers: [{ value: '+15550100', label: '', isPrimary: true }],
  source: 'Fair',
  tags: ['vip'],
  customFields: {
    city: 'Rome',
    CITY: 'ROME',
    [decomposed('Größe')]: 'XL',
    'Phone ': 'a custom field with a blank',
    EMAIL: 'a custom field in capitals',
    address: { street: 'Via Appia' },
    [decomposed('Café')]: 'yes',
    none: null,
  },
});
const pipelines = [
  {
    ...{ _id: 'sales', organizationId: 'o', name: 'Contact', type: 'Contact' as const, isActive: true },
    stages: [{ _id: 'sales-New', name: 'New', order: 0 }],
    ...{ createdAt: bob.createdAt, updatedAt: bob.updatedAt },
  },
];

/** As macOS and some keyboards write it: the letter, and its accent after it. */
function decomposed(text: string): string {
  return text.normalize('NFD');
}

/** Source of each text: decisions 10, "Placeholders": fixed names in any case, custom fields by name, `contact.<field>`. */
const texts: readonly (readonly [string, string])[] = [
  ['{{firstName}}', 'Bob'],
  ['{{FirstName}}', 'Bob'],
  ['{{ FIRSTNAME }}', 'Bob'],
  ['{{firstname}} {{LASTNAME}}', 'Bob Lee'],
  ['{{FullName}}, {{contactname}}, {{ContactName}}', 'Bob Lee, Bob Lee, Bob Lee'],
  ['{{Email}} {{PHONE}}', 'bob@example.com +15550100'],
  ['{{EMAIL}}', 'a custom field in capitals'],
  ['{{email}}', 'bob@example.com'],
  ['{{city}} {{CITY}} {{City}}', 'Rome ROME Rome'],
  ['{{größe}} {{GRÖẞE|?}}', 'XL XL'],
  [decomposed('{{Größe}}'), 'XL'],
  ['{{Café}} {{café}}', 'yes yes'],
  ['{{contact.firstName}} {{Contact.FirstName}} {{CONTACT.EMAIL}}', 'Bob Bob a custom field in capitals'],
  ['{{contact.city}} {{contact.customFields.city}} {{CONTACT.CUSTOMFIELDS.größe}}', 'Rome Rome XL'],
  ['{{contact.stage}} {{contact.Pipeline}} {{contact.source}} {{contact.tags}}', 'New Contact Fair vip'],
  ['{{contact.phone}} {{contact.phoneNumbers}} {{contact.fullName}}', '+15550100 +15550100 Bob Lee'],
  ['{{customFields.city}} {{address.street}} {{contact.address.street}}', 'Rome Via Appia Via Appia'],
  ['{{nmae}}{{first name}}{{first_name}}{{Stage}}', ''],
  ['Hi {{nmae|there}} {{First Name | friend}}', 'Hi there friend'],
  ['{{none|no value}} {{NONE|no value}} {{address|no text}}', 'no value no value no text'],
  ['{{contact.nmae|?}} {{contact.|?}} {{contact|?}} {{.|?}}', '? ? ? ?'],
  ['{{toString|?}} {{__proto__|?}} {{CONSTRUCTOR|?}} {{contact.customFields.toString|?}}', '? ? ? ?'],
  ['{{|?}} {{ |?}}', '? ?'],
  ['{ {firstName} } {{first{{firstName}}Name}}', '{ {firstName} } {{firstBobName}}'],
];

test.each(texts)('A template, a missed-call text and a workflow fill %j as %j', (text, expected) => {
  const context = contextWith({ state: { contact: bob, conversations: [], applications: [] }, pipelines });
  const now = new Date('2026-11-22T12:00:00.000Z');
  expect([filled(text, { contact: bob, pipelines }), renderedText(text, { context, now })]).toEqual([
    expected,
    expected,
  ]);
  // In a missed-call text, blanks before a missing value go, too.
  expect(missedCallText(`:${text}`, { contact: bob, pipelines }).replaceAll(' ', '')).toBe(
    `:${expected}`.replaceAll(' ', ''),
  );
});

const workflowsOnly = (name: string) => `{{${name}}} is filled by workflows only.`;
const unknown = (name: string) =>
  `{{${name}}} is not a field of every contact: it is filled only for contacts with a custom field of that name.`;

const braces =
  'A {{ or }} belongs to no placeholder that can be read, and stays in the text: inside a placeholder there are no braces.';

/** What creating and updating a template says of its text; source: decisions 10, "Placeholders". */
const reports: readonly (readonly [string, readonly string[]])[] = [
  ['Hi {{firstName}} {{LASTNAME}} {{Phone}} {{contactName|you}}', []],
  ['{{contact.stage}} {{contact.customFields.shoe size}} {{Contact.Email}}', []],
  ['Hi {firstName}, no placeholder', []],
  ['Hi {{nmae}}', [unknown('nmae')]],
  ['Hi {{first_name|there}} {{ first_name }}', [unknown('first_name')]],
  ['{{contact.nmae}}', [unknown('contact.nmae')]],
  ['{{event.text}} {{step.ask.way}}', [workflowsOnly('event.text'), workflowsOnly('step.ask.way')]],
  ['{{}}', [unknown('')]],
  ['{{{firstName}}} {{{ }', [braces]],
  ['{{{firstName}}} { { a } }', []],
  ['Hi {{firstName|{{lastName}}}}', [braces]],
  ['{{email|no {mail}}}', [braces]],
  ['{{a{b}}', [braces]],
  ['{{firstName', [braces]],
  ['{firstName}} {{nmae}}', [unknown('nmae'), braces]],
];

test.each(reports)('Creating and updating the template %j says %j', async (template, doubts) => {
  const body = { name: 'Greeting', template, type: 'sms' };
  const { token } = rep;
  const created = expectStatus(await product.call('create-template', { token, body }), 201);
  const said = (done: string) => (doubts.length === 0 ? done : [`${done}.`, ...doubts].join(' '));
  expect(created.message).toBe(said('Template created'));
  expect(created.data.template).toBe(template);
  const path = { id: created.data._id };
  const more = { body: { category: 'Other' }, token, path };
  expect(expectStatus(await product.call('update-template', more), 200).message).toBe(
    said('Template updated'),
  );
});

test('A template with many or very long names says so much as somebody reads', async () => {
  const many = Array.from({ length: 20 }, (_, index) => `{{name${index}}}`).join('');
  const create = async (template: string) => {
    const body = { name: 'Greeting', template, type: 'sms' };
    return expectStatus(await product.call('create-template', { token: rep.token, body }), 201).message;
  };
  expect((await create(many)).match(/\{\{name\d+\}\}/g)).toHaveLength(5);
  expect(await create(`{{${'x'.repeat(9_000)}}}`)).toBe(`Template created. ${unknown(`${'x'.repeat(59)}…`)}`);
});

test('A check warns of each name that a workflow may never fill, and runs it nevertheless', async () => {
  const { problemsOf } = checksIn(tenants);
  const content =
    'Hi {{FirstName}} {{nmae|there}} {{event.source}} {{contact.customFields.size}} {{businessHours.open}}';
  const nodes = [trigger, node('note', 'addNote', { note: content })];
  expect(await problemsOf({ nodes, edges: [edge('start', 'note')] })).toEqual([
    `note warning: ${unknown('nmae')}`,
  ]);
  const loose = [trigger, node('note', 'addNote', { note: 'Hi {{firstName' })];
  expect(await problemsOf({ nodes: loose, edges: [edge('start', 'note')] })).toEqual([
    `note warning: ${braces}`,
  ]);
});

test('Creating a workflow counts the names that may never be filled', async () => {
  const body = {
    name: `Misspelt ${newPhoneNumber()}`,
    nodes: [trigger, node('note', 'addNote', { note: '{{nmae}}' })],
    edges: [edge('start', 'note')],
  };
  const { message } = expectStatus(await product.call('create-workflow', { token: rep.token, body }), 201);
  expect(message).toBe('Workflow created, with 1 problem');
});

test('The preview of a missed call warns of a misspelt name, and the update keeps its two fields', async () => {
  const path = { organizationId: admin.organizationId };
  const { token } = admin;
  const update = (missedCallMessage: string) =>
    product.call('update-missed-call-message', { token, path, body: { missedCallMessage } });
  const preview = async () =>
    expectStatus(
      await product.call('preview-missed-call', { token, path, body: { callerNumber: newPhoneNumber() } }),
      200,
    ).data;
  expect(expectStatus(await update('Sorry, {{FIRSTNAME|dear}} {{nmae}}!'), 200)).toEqual({
    missedCallMessage: 'Sorry, {{FIRSTNAME|dear}} {{nmae}}!',
    missedCallAutoMessageEnabled: false,
  });
  expect((await preview()).warning).toBe(unknown('nmae'));
  expectStatus(await update('Sorry, {{FIRSTNAME|dear}}!'), 200);
  expect(await preview()).not.toHaveProperty('warning');
});

test('A direct text is filled as a template is', async () => {
  const { _id: contactId } = await newContact({ firstName: 'Zo', customFields: { City: 'Bern' } });
  const { data } = expectStatus(
    await conversationsClient(product, rep).send({
      contactId,
      content: 'Hi {{FirstName}} of {{city}}, {{contact.stage}} {{nmae|friend}}',
    }),
    201,
  );
  expect(data.content).toBe('Hi Zo of Bern, New friend');
});

test('A direct text that is empty or too long once it is filled is refused: 400', async () => {
  const { _id: contactId } = await newContact({ customFields: { story: 'x'.repeat(1_000) } });
  const send = async (content: string) =>
    outcome(await conversationsClient(product, rep).send({ contactId, content }));
  const { _id: other } = await newContact();
  for (const unseen of ['\u200b', '\u3164']) {
    expect(
      outcome(await conversationsClient(product, rep).send({ contactId: other, content: unseen })),
    ).toEqual(failure(400, 'content is required unless there is a templateId or an attachment'));
    expect(await send(`{{nmae}}${unseen}`)).toEqual(
      failure(400, 'content must be a text that is not empty once its placeholders are filled'),
    );
  }
  expect(await send('{{nmae}} {{}}')).toEqual(
    failure(400, 'content must be a text that is not empty once its placeholders are filled'),
  );
  expect(await send('{{story}}{{story}}')).toEqual(
    failure(400, 'content must be a text with at most 1600 characters once its placeholders are filled'),
  );
});

test('Who sees a conversation alone sends texts with braces, but none with placeholders of the contact: 404', async () => {
  const { otherRep } = tenants;
  const { _id: contactId } = await newContact({ firstName: 'Secret' });
  const own = conversationsClient(product, rep);
  const { data } = expectStatus(await own.send({ contactId, content: 'Hello' }), 201);
  expectStatus(
    await product.call('update-conversation', {
      ...{ token: admin.token, path: { id: data.conversationId } },
      body: { assignees: [otherRep.userId] },
    }),
    200,
  );
  const theirs = conversationsClient(product, otherRep);
  expect(outcome(await theirs.send({ contactId, content: '{{firstName}}' }))).toEqual(
    failure(404, 'Contact not found'),
  );
  expect((await theirs.send({ contactId, content: 'a {{ b' })).status).toBe(201);
});

test('A text of 100,000 marks is filled without putting all of them in order', () => {
  const marks = '\u0301\u0323'.repeat(25_000);
  const normalize = vi.spyOn(String.prototype, 'normalize');
  filled(`{{x|${marks}}}${marks}`, { contact: bob, pipelines });
  const lengths = normalize.mock.contexts.map((text) => String(text).length);
  normalize.mockRestore();
  expect(Math.max(0, ...lengths)).toBeLessThan(1_000);
});
