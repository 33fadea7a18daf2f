import { Failure } from '../failure.ts';

/** The fields of a form. It has no prototype, so `__proto__` is a key like any other and is refused later. */
export type FormFields = Record<string, string>;

const noFields = (): FormFields => Object.create(null);

/** Whether a body with this content type may be a form. */
export const isFormType = (contentType = ''): boolean =>
  /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType) || isMultipart(contentType);

/** Its files may be of any encoding. */
export const isMultipart = (contentType: string) => /^\s*multipart\/form-data\s*(;|$)/i.test(contentType);

/**
 * The first value of each field; of a file its name.
 * @throws a 400 `Failure` for a multipart form that cannot be read.
 */
export async function readForm(contentType: string, body: Buffer, text: string): Promise<FormFields> {
  if (isMultipart(contentType)) {
    return readMultipart(contentType, body);
  }
  const fields = noFields();
  for (const [name, value] of new URLSearchParams(text)) {
    fields[name] ??= value;
  }
  return fields;
}

/** Source: RFC 7578. */
async function readMultipart(contentType: string, body: Buffer): Promise<FormFields> {
  const fields = noFields();
  const form = await new Response(Uint8Array.from(body), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw new Failure(
        'INVALID',
        'body must be a complete form with the boundary that its content type names (RFC 7578)',
      );
    });
  for (const [name, value] of form) {
    fields[name] ??= typeof value === 'string' ? value : value.name;
  }
  return fields;
}
