/** A request of a form or a spreadsheet. */
export interface SentForm {
  readonly body: string;
  readonly headers: Record<string, string>;
}

type Texts = Readonly<Record<string, string>>;

/** As browsers and most plugins send a form. Source: URL standard, 5.1. */
export const form = (fields: Texts): SentForm => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

/** A form that may have files. Source: RFC 7578. */
export async function multipart(fields: Texts): Promise<SentForm> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    data.set(name, value);
  }
  const response = new Response(data);
  const type = response.headers.get('content-type') ?? '';
  return { body: await response.text(), headers: { 'content-type': type } };
}
