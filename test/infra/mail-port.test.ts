import { expect, test } from 'vitest';
import { withAllSettings } from './all-settings.ts';
import { functionNamed, statementsFor, synthesized } from './synthesized.ts';

const [stated, usual] = await Promise.all([withAllSettings(), synthesized()]);

const sender = 'send-mail';
const sending = (app: typeof usual) =>
  statementsFor(app, sender).filter(({ Action }) => [Action].flat().some((one) => one.startsWith('ses:')));

test('The function that sends email may do so from one address, to any recipient, which SES treats as an identity in its sandbox', () => {
  expect(sending(stated)).toEqual([
    {
      Effect: 'Allow',
      Action: 'ses:SendEmail',
      Resource: expect.anything(),
      Condition: { StringEquals: { 'ses:FromAddress': 'crm@mail.example.com' } },
    },
  ]);
  expect(JSON.stringify(sending(stated)[0]?.Resource)).toMatch(/:ses:eu-west-1:.*:identity\/\*"/);
  expect(functionNamed(stated, sender).Properties.Environment.Variables).toMatchObject({
    MAIL_PROVIDER: 'ses',
    MAIL_FROM: 'crm@mail.example.com',
    MAIL_REGION: 'eu-west-1',
    APP_URL: 'https://app.example.com',
  });
});

test('Without a sender nobody may send mail, and everything knows', () => {
  expect(sending(usual)).toEqual([]);
  for (const name of [sender, 'invite-user']) {
    const { Variables } = functionNamed(usual, name).Properties.Environment;
    expect(Variables).toMatchObject({ MAIL_PROVIDER: 'none' });
    expect(Variables).not.toHaveProperty('MAIL_FROM');
  }
});

test('Links in emails lead to the address of the HTTP API where no web app is configured', () => {
  const { API_URL } = functionNamed(usual, sender).Properties.Environment.Variables;
  expect(JSON.stringify(API_URL)).toContain('https://');
  expect(JSON.stringify(API_URL)).toContain('HttpApi');
});
