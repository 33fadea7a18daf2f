import { expect, test } from 'vitest';
import { type Form, formType, openForm, refusal, store, upload } from './object-store-fixture.ts';

/** Changes one field of a form; undefined leaves the field out. */
function changed(form: Form, changes: Record<string, string | undefined>): Form {
  const fields = Object.entries({ ...form.fields, ...changes });
  return {
    url: form.url,
    fields: Object.fromEntries(fields.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
}

function widened(form: Form): string {
  const policy = JSON.parse(Buffer.from(form.fields.Policy ?? '', 'base64').toString());
  policy.conditions = policy.conditions.filter((condition: unknown) => !Array.isArray(condition));
  return Buffer.from(JSON.stringify(policy)).toString('base64');
}

const forged = 'The request signature we calculated does not match the signature you provided.';

test.each<[string, (form: Form) => Record<string, string | undefined>, string]>([
  [
    'when its signature is forged',
    () => ({ 'X-Amz-Signature': 'f'.repeat(64) }),
    `403 SignatureDoesNotMatch: ${forged}`,
  ],
  [
    'when its policy is widened',
    (form) => ({ Policy: widened(form) }),
    `403 SignatureDoesNotMatch: ${forged}`,
  ],
  ['when it has no policy', () => ({ Policy: undefined }), '403 AccessDenied: Access Denied'],
  [
    'when it leaves out who signed it',
    () => ({ 'X-Amz-Credential': undefined }),
    "400 InvalidArgument: Bucket POST must contain a field named 'X-Amz-Credential'.",
  ],
  [
    'when somebody else signed it',
    ({ fields }) => ({ 'X-Amz-Credential': fields['X-Amz-Credential']?.replace('LOCALKEY', 'OTHERKEY') }),
    '403 InvalidAccessKeyId: The AWS Access Key Id you provided does not exist in our records.',
  ],
  [
    'when it was signed for another region',
    ({ fields }) => ({ 'X-Amz-Credential': fields['X-Amz-Credential']?.replace('central', 'west') }),
    "400 InvalidArgument: Error parsing the X-Amz-Credential parameter; the region 'eu-west-1' is wrong; expecting 'eu-central-1'",
  ],
  [
    'when its fields are too long',
    () => ({ 'x-ignore-this': 'x'.repeat(21_000) }),
    '400 MaxPostPreDataLengthExceededError: Your POST request fields preceding the upload file were too large.',
  ],
])('A form is refused, and nothing is stored, %s', async (_, changes, expected) => {
  const { form, fileCount } = await store();
  const signed = await form();
  const response = await upload(changed(signed, changes(signed)), 'x'.repeat(500_000));
  expect(await refusal(response)).toContain(expected);
  expect(await fileCount()).toBe(0);
  expect((await upload(signed)).status).toBe(204);
});

test('A form is refused, and nothing is stored, when it has the same field twice', async () => {
  const { form, fileCount } = await store();
  const signed = await form();
  const body = new FormData();
  for (const [name, value] of Object.entries(signed.fields)) {
    body.append(name, value);
  }
  body.append('Key', 'org/2/theirs.pdf');
  body.append('file', new Blob(['hello']), 'report.pdf');
  const response = await fetch(signed.url, { method: 'POST', body });
  expect(await refusal(response)).toBe('400 InvalidArgument: The form has this field twice.');
  expect(await fileCount()).toBe(0);
});

test('A form is refused, and nothing is stored, when it has no file, or its fields come after the file', async () => {
  const { form, fileCount } = await store();
  const { url, fields } = await form();
  const body = new FormData();
  const withoutFile = new FormData();
  body.append('file', new Blob(['hello']), 'report.pdf');
  for (const [name, value] of Object.entries(fields)) {
    body.append(name, value);
    withoutFile.append(name, value);
  }
  expect(await refusal(await fetch(url, { method: 'POST', body: withoutFile }))).toBe(
    '400 InvalidArgument: POST requires exactly one file upload per request.',
  );
  expect(await refusal(await fetch(url, { method: 'POST', body }))).toBe('403 AccessDenied: Access Denied');
  expect(await fileCount()).toBe(0);
});

test('A form is refused, and nothing is stored, when it is cut off, or is not a form at all', async () => {
  const { form, fileCount } = await store();
  const { url, fields } = await form();
  const body = openForm({ ...fields, file: 'x'.repeat(500_000) });
  const post = (text: string, type = formType) =>
    fetch(url, { method: 'POST', body: text, headers: { 'content-type': type } });
  for (const end of [300, 300_000, 500_000, undefined]) {
    const cut = await post(body.slice(0, end));
    expect(await refusal(cut)).toContain('400 MalformedPOSTRequest');
  }
  expect(await refusal(await post('', 'multipart/form-data'))).toContain('400 MalformedPOSTRequest');
  expect(await refusal(await post('{}', 'application/json'))).toContain('412 PreconditionFailed');
  expect(await fileCount()).toBe(0);
  expect((await post(`${body}--edge--\r\n`)).status).toBe(204);
});
