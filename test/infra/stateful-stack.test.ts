import { afterAll, expect, test } from 'vitest';
import { predecessorsIn } from './predecessors.ts';
import { referenced, synthesized, type Template } from './synthesized.ts';

const app = await synthesized();
afterAll(() => app.remove());

test('The table can be restored to any second, cannot be deleted, forgets what has expired, and streams its changes', () => {
  const [table, ...others] = app.ofType('AWS::DynamoDB::Table');
  expect(others).toEqual([]);
  expect(table?.Properties).toMatchObject({
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    DeletionProtectionEnabled: true,
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  expect(table?.template.resources[table.id]).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
  });
});

test('The table is created after all else that stays: a first creation that fails leaves no protected table behind', () => {
  const [table] = app.ofType('AWS::DynamoDB::Table');
  const resources: Template['resources'] = table?.template.resources ?? {};
  const before = predecessorsIn({ resources }).get(table?.id ?? '');
  const others = Object.entries(resources)
    .filter(([id, { DeletionPolicy }]) => id !== table?.id && /^Retain/.test(DeletionPolicy ?? ''))
    .map(([id]) => id);
  expect(others.length).toBeGreaterThan(3);
  expect([...(before ?? [])]).toEqual(expect.arrayContaining(others));
  for (const id of [table?.id ?? '', ...others]) {
    expect(resources[id]).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
  }
});

test('The table has no secondary index: a write is paid once', () => {
  const [table] = app.ofType('AWS::DynamoDB::Table');
  expect(table?.Properties).not.toHaveProperty('GlobalSecondaryIndexes');
});

test('No bucket is open to the public or takes a request without TLS', () => {
  const buckets = app.ofType('AWS::S3::Bucket');
  expect(buckets.length).toBeGreaterThan(0);
  for (const { id, template, Properties } of buckets) {
    expect(Object.values(Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    const policy = Object.values(template.resources).find(
      ({ Type, Properties }) => Type === 'AWS::S3::BucketPolicy' && referenced(Properties.Bucket) === id,
    );
    expect(policy?.Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    );
  }
});

test('Exports and uploads that nobody attached are gone after a day, and nothing else in the bucket goes by itself', () => {
  const rules = app
    .ofType('AWS::S3::Bucket')
    .filter(({ Properties }) => Properties.CorsConfiguration !== undefined)
    .flatMap(({ Properties }) => Properties.LifecycleConfiguration.Rules);
  expect(rules.filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)).toEqual(
    ['exports/', 'org/'].map((Prefix) => ({
      Prefix,
      Status: 'Enabled',
      ExpirationInDays: 1,
      NoncurrentVersionExpiration: { NoncurrentDays: 1 },
    })),
  );
});

test('Nothing restores an attachment that was deleted by accident for longer than a day', () => {
  const rules = app
    .ofType('AWS::S3::Bucket')
    .flatMap(({ Properties }) => Properties.LifecycleConfiguration?.Rules ?? []);
  expect(rules.filter(({ Prefix }) => Prefix === 'files/')).toEqual([
    { Prefix: 'files/', Status: 'Enabled', NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
  ]);
});

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
