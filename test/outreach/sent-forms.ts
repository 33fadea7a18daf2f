/** A request of a form or a spreadsheet. */
export interface SentForm {
  readonly body: string;
  readonly headers: Record<string, string>;
}

type Texts = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, unknown>>;

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

const json = (fields: Fields): SentForm => ({
  body: JSON.stringify(fields),
  headers: { 'content-type': 'application/json' },
});

/** What people and spreadsheets write into the fields of a lead. */
export interface Written {
  readonly firstName?: unknown;
  readonly lastName?: unknown;
  readonly phoneNumber?: unknown;
  readonly email?: unknown;
}

/** A source of leads whose fields are mapped to ours; its own fields come along. */
export interface LeadSource {
  readonly name: string;
  /** Whether every value is sent as text. */
  readonly isForm: boolean;
  send(configurationId: string, written: Written, id: number): SentForm | Promise<SentForm>;
  /** The custom data by which its leads are recognised. */
  readonly own: (id: number) => Fields;
}

/** The values as a form has them: what is missing is empty. */
const asTexts = ({ firstName = '', lastName = '', phoneNumber = '', email = '' }: Written): Texts => ({
  firstName: String(firstName),
  lastName: String(lastName),
  phoneNumber: String(phoneNumber),
  email: String(email),
});

const typeformAnswer = (id: number) => ({
  form_id: 'lT4Z3j',
  token: `a3a12ec67a1365927098a606107fac${id}`,
  submitted_at: '2026-01-18T18:17:02Z',
  hidden: { utm_source: 'spring' },
  answers: [
    { type: 'boolean', boolean: true, field: { id: 'RUqkXSeXBXSd', type: 'yes_no' } },
    { type: 'number', number: 5, field: { id: 'NRsxU591jIW9', type: 'opinion_scale' } },
  ],
});

/** Four form builders and two spreadsheets. The shapes are those of their documentation, the values are made up. */
export const leadSources: readonly LeadSource[] = [
  {
    // https://www.typeform.com/developers/webhooks/example-payload/
    name: 'Typeform',
    isForm: false,
    send: (configurationId, written, id) =>
      json({
        ...{ configurationId, ...written, event_id: `LtWXD3crgy${id}`, event_type: 'form_response' },
        form_response: typeformAnswer(id),
      }),
    own: (id) => ({ event_id: `LtWXD3crgy${id}`, form_response: typeformAnswer(id) }),
  },
  {
    // https://docs.gravityforms.com/webhooks-feed-meta: requestFormat form, with chosen fields beside those of the entry.
    name: 'Gravity Forms',
    isForm: true,
    send: (configurationId, written, id) =>
      form({
        ...{
          configurationId,
          ...asTexts(written),
          id: `${id}`,
          form_id: '3',
          '1.3': 'Ms',
          7: 'Yes, call me',
        },
        customData: JSON.stringify({ source_url: 'https://example.com/?a=1&b=2' }),
      }),
    own: (id) => ({ id: `${id}`, 7: 'Yes, call me', source_url: 'https://example.com/?a=1&b=2' }),
  },
  {
    // https://www.jotform.com/help/245-how-to-setup-a-webhook-with-jotform/: multipart, the answers once more as JSON text.
    name: 'Jotform',
    isForm: true,
    send: (configurationId, written, id) =>
      multipart({
        ...{
          configurationId,
          ...asTexts(written),
          formID: '83456',
          submissionID: `44${id}`,
          ip: '192.0.2.7',
        },
        rawRequest: JSON.stringify({ slug: 'submit/83456/', q3_name: { first: 'A', last: 'B' } }),
      }),
    own: (id) => ({ submissionID: `44${id}`, ip: '192.0.2.7' }),
  },
  {
    // A Wufoo WebHook: a form whose FieldStructure and FormStructure are JSON texts.
    name: 'Wufoo',
    isForm: true,
    send: (configurationId, written, id) =>
      form({
        ...{
          configurationId: ` ${configurationId} `,
          ...asTexts(written),
          EntryId: `${id}`,
          IP: '192.0.2.7',
        },
        FieldStructure: '{"Fields":[{"Title":"Name","Type":"shortname"}]}',
        customData: '',
      }),
    own: (id) => ({
      EntryId: `${id}`,
      FieldStructure: '{"Fields":[{"Title":"Name","Type":"shortname"}]}',
    }),
  },
  {
    // https://zapier.com/help/create/code-webhooks/send-webhooks-in-zaps: JSON; cells of digits come as numbers.
    name: 'Google Sheets by Zapier',
    isForm: false,
    send: (configurationId, written, id) =>
      json({ configurationId, ...written, Row: id, COL$E: 0.1, Agreed: true, Notes: null }),
    own: (id) => ({ Row: id, COL$E: 0.1, Agreed: true, Notes: null }),
  },
  {
    // A CSV of Excel, parsed and sent by Make: every cell is a text, an empty cell an empty one.
    name: 'Excel by Make',
    isForm: true,
    send: (configurationId, written, id) =>
      json({
        ...{ configurationId, ...asTexts(written), Zeile: `${id}`, Betrag: '1.234,50', '': 'unnamed column' },
        customData: { 'Quelle\u00a0': 'Messe', Datum: '45678' },
      }),
    own: (id) => ({ Zeile: `${id}`, 'Quelle\u00a0': 'Messe', '': 'unnamed column' }),
  },
];
