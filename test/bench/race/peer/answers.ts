/** A row of the statements of the board, or of one that changes a contact. */
export interface ContactRow {
  readonly id: string | null;
  readonly stage: string;
  readonly total: number;
  readonly [column: string]: unknown;
}

const text = { type: 'string' } as const;
const textOrNull = { type: 'string', nullable: true } as const;
const texts = { type: 'array', items: text } as const;

/** Fastify compiles it to the function that writes a contact as JSON. */
const contactSchema = {
  type: 'object',
  properties: {
    _id: text,
    organizationId: text,
    firstName: text,
    lastName: text,
    fullName: text,
    email: textOrNull,
    phoneNumbers: {
      type: 'array',
      items: { type: 'object', properties: { value: text, label: text, isPrimary: { type: 'boolean' } } },
    },
    source: textOrNull,
    pipelineId: text,
    stageId: text,
    stage: text,
    createdBy: text,
    owner: textOrNull,
    assignees: texts,
    customFields: { type: 'object', additionalProperties: true },
    tags: texts,
    isBulkImport: { type: 'boolean' },
    lastMessageAt: textOrNull,
    lastMessageDirection: textOrNull,
    consent: { type: 'object', properties: { sms: text, since: text, source: text } },
    createdAt: text,
    updatedAt: text,
  },
} as const;

export const boardSchema = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    data: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { contacts: { type: 'array', items: contactSchema }, total: { type: 'integer' } },
      },
    },
  },
} as const;

/** The response of a change: a message, and the contact. */
export const changeSchema = {
  type: 'object',
  properties: { success: { type: 'boolean' }, message: text, data: contactSchema },
} as const;

export function toContact(row: ContactRow) {
  return {
    _id: row.id,
    organizationId: row.organization_id,
    firstName: row.first_name,
    lastName: row.last_name,
    fullName: `${row.first_name} ${row.last_name}`.trim(),
    email: row.email,
    phoneNumbers: row.phone_numbers,
    source: row.source,
    pipelineId: row.pipeline_id,
    stageId: row.stage_id,
    stage: row.stage,
    createdBy: row.created_by,
    owner: row.owner,
    assignees: row.assignees,
    customFields: row.custom_fields,
    tags: row.tags,
    isBulkImport: row.is_bulk_import,
    lastMessageAt: row.last_message_at,
    lastMessageDirection: row.last_message_direction,
    // No contact here has ever changed its consent.
    consent: { sms: 'in', since: row.created_at, source: 'user' },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The columns of a board. The rows are in the order of stages and contacts; a stage without contacts has one row. */
export function toColumns(rows: readonly ContactRow[]) {
  const columns: Record<string, { contacts: unknown[]; total: number }> = {};
  for (const row of rows) {
    columns[row.stage] ??= { contacts: [], total: row.total };
    if (row.id !== null) {
      columns[row.stage]?.contacts.push(toContact(row));
    }
  }
  return columns;
}
