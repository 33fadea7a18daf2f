import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { failure, outcome } from '../harness/tenants.ts';
import { refusal } from '../local/object-store-fixture.ts';
import { offer, type PreparedFile, prepare, preparedFile, sendForm } from './uploads-client.ts';

const { product, superadmin, admin, rep } = await setUpTenants();

const limit = 25 * 1024 * 1024;
const stored = async ({ key }: PreparedFile) => {
  const attachments = await product.objects.of(rep.organizationId, 'newAttachments');
  return attachments.upload(key);
};

test('Preparing uploads returns 200 {success, files} with {key, name, type, size, upload, expiresAt} of each, in their order', async () => {
  const at = new Date('2026-11-20T10:00:00.000Z');
  const files = [offer, { name: 'Größe 📎.png', type: 'image/png', size: 25 * 1024 * 1024 }];
  const { token, organizationId, userId } = await product.newColleague(admin);
  const { status, body } = await product.call('create-uploads', { token, body: { files }, at });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'files']);
  expect(body).toEqual({
    success: true,
    files: files.map((file, index) => ({
      key: expect.stringMatching(
        new RegExp(`^org/${organizationId}/${userId}/[0-9A-Z]{26}/${['offer', 'Gro-e'][index]}\\.(pdf|png)$`),
      ),
      ...file,
      upload: {
        method: 'POST',
        url: expect.stringMatching(/^http/),
        fields: expect.objectContaining({ 'Content-Type': file.type }),
      },
      expiresAt: '2026-11-20T10:05:00.000Z',
    })),
  });
  for (const file of body.files) {
    expect(Object.keys(file)).toEqual(['key', 'name', 'type', 'size', 'upload', 'expiresAt']);
    expect(Object.keys(file.upload)).toEqual(['method', 'url', 'fields']);
    expect(file.upload.fields.key).toBe(file.key);
  }
  expect(new Set(body.files.map(({ key }: PreparedFile) => key)).size).toBe(2);
});

test('Preparing uploads takes 1 to 10 files', async () => {
  for (const [number, message] of [
    [0, 'files must have at least 1 item'],
    [11, 'files must have at most 10 items'],
  ] as const) {
    expect(outcome(await prepare(product, rep, Array(number).fill(offer)))).toEqual(failure(400, message));
  }
  const { body } = await prepare(product, rep, Array(10).fill(offer));
  expect(new Set(body.files.map(({ key }: PreparedFile) => key)).size).toBe(10);
});

test.each<[Record<string, unknown>, string]>([
  [{ name: undefined }, 'files[1].name is required'],
  [{ name: '' }, 'files[1].name must not be empty'],
  [{ name: 7 }, 'files[1].name must be a string'],
  [{ name: 'x'.repeat(201) }, 'files[1].name must have at most 200 characters'],
  [{ name: 'a\nb.pdf' }, 'files[1].name must not have control characters'],
  [{ type: undefined }, 'files[1].type is required'],
  [{ type: '' }, 'files[1].type must be a content type'],
  [{ type: 'pdf' }, 'files[1].type must be a content type'],
  [{ type: 'text/plain\r\nx: y' }, 'files[1].type must be a content type'],
  [{ type: 'text/*/plain' }, 'files[1].type must be a content type'],
  [{ type: `text/plain; x=${'y'.repeat(987)}` }, 'files[1].type must have at most 1000 characters'],
  [{ size: undefined }, 'files[1].size is required'],
  [{ size: '5' }, 'files[1].size must be a number'],
  [{ size: 0 }, 'files[1].size must be at least 1'],
  [{ size: -1 }, 'files[1].size must be at least 1'],
  [{ size: 1.5 }, 'files[1].size must be a whole number'],
  [{ size: limit + 1 }, `files[1].size must be at most ${limit}`],
])('Preparing uploads with %j is a 400 that names the field', async (more, message) => {
  const { status, body } = await prepare(product, rep, [offer, { ...offer, ...more }]);
  expect(status).toBe(400);
  expect(Object.keys(body)).toEqual(['success', 'message']);
  expect(body.message).toContain(message);
});

test.each([
  'text/html',
  'TEXT/HTML',
  'text/html; charset=utf-8',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/javascript',
  'application/javascript',
  'application/x-msdownload',
  'application/vnd.microsoft.portable-executable',
  'application/x-sh',
  'application/java-archive',
  'application/vnd.android.package-archive',
])('Preparing uploads refuses the type %s, whatever the name', async (type) => {
  expect(outcome(await prepare(product, rep, [{ ...offer, type }]))).toEqual(
    failure(400, 'files[0].type must not be that of a program, a script, HTML or SVG'),
  );
});

/** Names of programs and pages, as systems write them. */
const plainNames = `
  page.html page.HTM picture.svg script.js module.mjs setup.exe setup.EXE setup.exe.
  invoice.pdf.exe run.bat run.cmd run.ps1 run.ws run.pyz run.pyzw run.ps1xml update.msu setup.ex_
  wizard.diagcfg tool.AppImage tool.gadget tool.appref-ms panel.settingcontent-ms run.sh lib.dll
  screen.scr app.jar app.apk disk.iso link.lnk .html
`;

/** Names that a system, or a person, takes for such a one. */
const disguisedNames = [
  'setup.exe . ',
  'invoice.exe:pdf',
  'invoice:setup.exe',
  ':setup.exe',
  'setup.exe/',
  'setup.exe\\',
  'invoice\u202efdp.exe',
  'setup.e\u200bxe',
  'setup．ｅｘｅ',
];

test.each([...plainNames.trim().split(/\s+/), ...disguisedNames])(
  'Preparing uploads refuses the name %j, whatever the type',
  async (name) => {
    expect(outcome(await prepare(product, rep, [{ ...offer, name }]))).toEqual(
      failure(400, 'files[0].name must not be that of a program, a script, HTML or SVG'),
    );
  },
);

test.each<[name: string, type: string, inKey: string]>([
  ['offer.pdf', 'application/pdf', 'offer.pdf'],
  ['My offer (final), v2.pdf', 'application/pdf', 'My-offer-final-v2.pdf'],
  ['Übersicht März.xlsx', 'application/vnd.ms-excel', 'Ubersicht-Marz.xlsx'],
  ['契約書.pdf', 'application/pdf', 'file.pdf'],
  ['../../etc/passwd', 'text/plain', 'etc-passwd'],
  ['..', 'text/plain', 'file'],
  ['.env', 'text/plain', 'file.env'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a form replaces.
  ['${filename}', 'text/plain', 'filename'],
  ['a#b?c%2f d+e.txt', 'text/plain', 'a-b-c-2f-d-e.txt'],
  [`${'x'.repeat(195)}.docx`, 'application/octet-stream', `${'x'.repeat(95)}.docx`],
  ['👩‍👩‍👧.png', 'image/png', 'file.png'],
  ['recording', 'audio/webm;codecs=opus', 'recording'],
  ['no type', 'application/octet-stream', 'no-type'],
  ['htmlish.html.txt', 'text/plain', 'htmlish.html.txt'],
])('Preparing uploads keeps the name %j, and makes it safe in the key', async (name, type, inKey) => {
  const file = await preparedFile(product, rep, { name, type });
  expect(file).toMatchObject({ name, type });
  expect(file.key.split('/').slice(4)).toEqual([inKey]);
  expect((await sendForm(file, 'hello')).status).toBe(204);
  expect(await stored(file)).toMatchObject({ size: 5, type });
});

test('Uploads of a SUPERADMIN are prepared for the organization that they name', async () => {
  const headers = { 'x-organization-id': admin.organizationId };
  const { body } = await product.call('create-uploads', {
    token: superadmin.token,
    headers,
    body: { files: [offer] },
  });
  expect(body.files[0].key).toContain(`org/${admin.organizationId}/${superadmin.userId}/`);
});

test('A prepared file has 25 MB at most, whatever was said before', async () => {
  const file = await preparedFile(product, rep, { size: 1 });
  expect(await refusal(await sendForm(file, new Uint8Array(limit + 1)))).toContain('400 EntityTooLarge');
  expect(await refusal(await sendForm(file, ''))).toContain('400 EntityTooSmall');
  expect(await stored(file)).toBeUndefined();
  expect((await sendForm(file, new Uint8Array(limit))).status).toBe(204);
  expect(await stored(file)).toMatchObject({ size: limit });
});

test('A prepared file can be uploaded for 5 minutes', async () => {
  const old = await preparedFile(product, rep, {}, new Date(Date.now() - 301_000));
  expect(await refusal(await sendForm(old, 'hello'))).toContain('403 AccessDenied');
  const late = await preparedFile(product, rep, {}, new Date(Date.now() - 240_000));
  expect((await sendForm(late, 'hello')).status).toBe(204);
});
