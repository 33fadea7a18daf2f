import { Failure } from '../failure.ts';

/**
 * The fields of a form; those of a repeated one in a list, as checkboxes of one name send it. It has no prototype, so `__proto__` is a key
 * like any other and is refused later.
 */
export type FormFields = Record<string, string | string[]>;

function formOf(sent: Iterable<readonly [name: string, value: string]>): FormFields {
  const fields: FormFields = Object.create(null);
  for (const [name, value] of sent) {
    const known = fields[name];
    fields[name] = known === undefined ? value : [known, value].flat();
  }
  return fields;
}

/** Whether a body with this content type may be a form. */
export const isFormType = (contentType = ''): boolean =>
  /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType) || isMultipart(contentType);

/** Its files may be of any encoding. */
export const isMultipart = (contentType: string) => /^\s*multipart\/form-data\s*(;|$)/i.test(contentType);

/**
 * The fields of a form; of a file its name.
 * @throws a 400 `Failure` for a multipart form that cannot be read.
 */
export async function readForm(contentType: string, body: Buffer, text: string): Promise<FormFields> {
  return formOf(
    isMultipart(contentType) ? await readMultipart(contentType, body) : new URLSearchParams(text),
  );
}

/** Source: RFC 7578, and RFC 2046, 5.1.1, for a preamble. The platform's own reader refuses boundaries shorter than 27 characters. */
async function readMultipart(contentType: string, body: Buffer): Promise<[string, string][]> {
  const { getMultipartBoundary, parseMultipart } = await import('@remix-run/multipart-parser');
  const boundary = getMultipartBoundary(contentType) ?? '';
  const start = body.indexOf(`--${boundary}`);
  try {
    if (boundary === '' || start === -1) {
      throw new Error('no boundary');
    }
    // The size of the body limits the number of parts.
    const parts = parseMultipart(body.subarray(start), { boundary, maxParts: body.length });
    return Array.from(parts, ({ name, filename, text }) => {
      if (name === undefined) {
        throw new Error('a part without a name');
      }
      return [name, filename ?? text];
    });
  } catch {
    throw new Failure(
      'INVALID',
      'body must be a complete form with the boundary that its content type names (RFC 7578)',
    );
  }
}
