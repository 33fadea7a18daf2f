import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, dateTime } from '../../shared/kernel/schemas/fields.ts';
import { after, minute, second, timestamp } from '../../shared/kernel/time.ts';
import { fileLimits } from '../../shared/notes/attached-bytes.ts';
import { largestFile, UploadFields } from '../../shared/notes/upload-fields.ts';
import { objectKeyName } from './model/key-names.ts';
import { countForms } from './model/upload-forms.ts';

/** How long a form accepts its file. Source: decisions 9. */
const lifetime = 5 * minute;

const UploadResponse = described(
  z.object({
    key: anyString,
    name: anyString,
    type: anyString,
    size: z.int(),
    upload: described(
      z.object({ method: z.literal('POST'), url: anyString, fields: z.record(anyString, anyString) }),
      {
        method: 'The method of the request that uploads the file.',
        url: 'Where to send it.',
        fields: 'The fields of the form, to be sent before the file.',
      },
    ),
    expiresAt: dateTime,
  }),
  {
    key: 'The key that attaches the file to a note or a message.',
    name: 'The name of the file.',
    type: 'Its content type.',
    size: 'Its size in bytes.',
    upload: 'The form that uploads it.',
    expiresAt: 'When the form expires.',
  },
);

export default operation({
  route: 'POST /api/upload',
  tag: 'Upload',
  summary: 'Prepare file uploads',
  description: [
    'Returns an upload form for each of 1 to 10 files, in the same order. Post each form to its `url` as `multipart/form-data` within 5 minutes: first all `fields`, last the file, as `file`. The object store accepts only this key and type, and 1 byte to 25 MB. Then use the `key` to attach the file to a note or a message within a day. Programs, scripts, HTML and SVG are refused by type and by name.',
    'Beyond the daily limit of an organization, the response is 429; beyond that of one that no SUPERADMIN has approved, 403. [Contact Notes](#/Contact%20Notes) has these limits.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: z.object({ files: z.array(UploadFields).check(z.minLength(1), z.maxLength(10)) }),
  descriptions: {
    files: `The files to upload. \`type\` is a content type; \`size\` is in bytes, at most ${largestFile}.`,
  },
  output: described(z.object({ success: z.literal(true), files: z.array(UploadResponse) }), {
    success: 'Always true.',
    files: 'One entry for each file, in the order of the request.',
  }),
  example: { body: { files: [{ name: 'offer.pdf', type: 'application/pdf', size: 48_213 }] } },
  failures: ['TOO_MANY_ATTEMPTS'],
  limits: [fileLimits.uploaded],
  uses: { table: 'write', objects: 'uploads', trialPolicy: 'read' },
  async run({ body }, { table, objects, trialPolicy, caller, now, newId }) {
    const { bytesOf } = await countForms({ table, trialPolicy, now }, body.files);
    const files = body.files.map(async (file) => {
      const { name, type, size } = file;
      const relative = `${caller.userId}/${newId()}/${objectKeyName(name)}`;
      const form = { type, maxBytes: bytesOf(file), seconds: lifetime / second };
      const upload = await objects.presignedPost(relative, form);
      return {
        key: objects.keyOf(relative),
        name,
        type,
        size,
        upload: { ...upload, fields: { ...upload.fields } },
        expiresAt: timestamp(after(now, lifetime)),
      };
    });
    return ok({ files: await Promise.all(files) });
  },
});
