import { expect, test } from 'vitest';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { prepareOutgoing } from './outgoing.ts';

const { product, admin, rep, newContact } = await setUpTenants();
const client = conversationsClient(product, rep);

const marks = { acute: '\u0301', circumflex: '\u0302', hook: '\u0309' };

test('The provider gets the composed form of what a template, a name and a custom field are made of', async () => {
  const decomposed = (text: string) => text.normalize('NFD');
  const { _id: contactId } = await newContact({
    firstName: decomposed('Zoë'),
    customFields: { [decomposed('Größe')]: decomposed('Übermaß'), mark: marks.acute },
  });
  const body = {
    name: 'Greeting',
    template: decomposed('Olé {{firstName}}, {{größe}} caf{{mark}}e{{mark}}'),
    type: 'sms',
  };
  const template = expectStatus(await product.call('create-template', { token: rep.token, body }), 201);
  const { data } = expectStatus(await client.send({ contactId, templateId: template.data._id }), 201);
  const text = `Olé Zoë, Übermaß caf${marks.acute}é`;
  expect(data.content).toBe(text);
  await (await prepareOutgoing(product)).tellAll(admin);
  expect(product.sentMessages.filter(({ id }) => id === data._id).map(({ content }) => content)).toEqual([
    text,
  ]);
});
