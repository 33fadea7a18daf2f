import { afterAll, expect, test } from 'vitest';
import { synthesized } from './synthesized.ts';

const app = await synthesized();
afterAll(() => app.remove());

test('The public keys reach the verifiers inside one stack, so that they can change at a rotation', () => {
  const exported = app.templates.map(({ resources }) => JSON.stringify(resources)).join('');
  expect(exported).not.toMatch(/ImportValue[^}]*PublicKeys/);
  const [step] = app.templates.flatMap(({ resources }) =>
    Object.values(resources).filter(({ Type }) => Type.startsWith('Custom::')),
  );
  expect(step).toMatchObject({
    Type: 'Custom::MakeSigningKeys',
    Properties: { Generation: '1', TrustedFrom: '1' },
  });
});

test('Every function that signs tokens begins anew when the keys change: none goes on signing with a key that nobody accepts', () => {
  const signers = app
    .ofType('AWS::Lambda::Function')
    .filter(({ Properties }) => Properties.Environment?.Variables.SIGNING_KEYS !== undefined);
  expect(signers.length).toBeGreaterThan(2);
  for (const { Properties } of signers) {
    // In a nested stack it is a parameter, which is named after what it holds.
    const fingerprint = JSON.stringify(Properties.Environment.Variables.SIGNING_KEYS);
    expect(fingerprint).toMatch(/SigningKeys\w*(","|)Fingerprint/);
  }
});
