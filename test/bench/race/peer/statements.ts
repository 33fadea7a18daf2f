import type { QueryConfig } from 'pg';

/** Where the totals of the board come from: counted for each request, or kept by triggers. */
export type Totals = 'counted' | 'kept';

/** A statement that PostgreSQL prepares once for each connection. The comments of the statements list their parameters. */
function statement(name: string, text: string): (values: readonly unknown[]) => QueryConfig {
  return (values) => ({ name, text, values: [...values] });
}

const card = `c.id, c.organization_id, c.first_name, c.last_name, c.email, c.phone_numbers, c.source, c.pipeline_id, c.stage_id,
  c.created_by, c.owner, c.assignees, c.custom_fields, c.tags, c.is_bulk_import, c.last_message_at, c.last_message_direction,
  c.created_at, c.updated_at`;

const totalOf: Record<Totals, string> = {
  counted: '(SELECT count(*) FROM contact WHERE stage_id = s.id)',
  kept: `coalesce((SELECT n FROM board_counter WHERE stage_id = s.id AND view = 'all'), 0)`,
};

const activeStages = `SELECT s.id, s.name, s.position FROM pipeline p JOIN stage s ON s.pipeline_id = p.id
  WHERE p.organization_id = $1 AND p.type = 'Contact' AND p.is_active`;

/** Organization, size. */
export const board = (totals: Totals) =>
  statement(
    'board',
    `WITH stages AS (${activeStages}),
    s AS MATERIALIZED (SELECT s.name, s.id, s.position, ${totalOf[totals]}::int AS total FROM stages s)
    SELECT s.name AS stage, s.total, ${card}
    FROM s LEFT JOIN LATERAL (
      SELECT * FROM contact WHERE stage_id = s.id ORDER BY created_at DESC, id DESC LIMIT $2
    ) c ON true
    ORDER BY s.position, c.created_at DESC, c.id DESC`,
  );

/** Organization, size, pattern of names, pattern of numbers. */
export const search = statement(
  'search',
  `WITH s AS (${activeStages}), found AS MATERIALIZED (
    SELECT id, stage_id, row_number() OVER newest AS place, count(*) OVER (PARTITION BY stage_id)::int AS total
    FROM contact WHERE organization_id = $1 AND (names LIKE $3 OR numbers LIKE $4)
    WINDOW newest AS (PARTITION BY stage_id ORDER BY created_at DESC, id DESC)
  )
  SELECT s.name AS stage, coalesce(f.total, 0) AS total, ${card}
  FROM s LEFT JOIN (SELECT * FROM found WHERE place <= $2) f ON f.stage_id = s.id LEFT JOIN contact c ON c.id = f.id
  ORDER BY s.position, f.place`,
);

const event = (name: string, from: string) =>
  `INSERT INTO outbox (organization_id, event, at, data)
    SELECT c.organization_id, '${name}', c.updated_at, to_jsonb(c) - 'names' - 'numbers' FROM ${from} c`;

const columns = `id, organization_id, first_name, last_name, email, phone_numbers, source, pipeline_id, stage_id, created_by, owner,
  assignees, custom_fields, tags, is_bulk_import, created_at, updated_at, numbers`;

/** Organization, id, user, first name, last name, email, phone numbers, source, tags, custom fields, time, numbers as searched. */
export const createContact = statement(
  'create-contact',
  `WITH place AS (${activeStages} ORDER BY s.position LIMIT 1),
  c AS (
    INSERT INTO contact (${columns})
    SELECT $2, $1, $4, $5, $6, $7::jsonb, $8, (SELECT pipeline_id FROM stage WHERE id = place.id), place.id, $3, $3,
      '[]', $10::jsonb, $9::jsonb, false, $11, $11, $12 FROM place
    RETURNING *
  ),
  phones AS (
    INSERT INTO contact_phone SELECT c.organization_id, n->>'value', c.id FROM c, jsonb_array_elements(c.phone_numbers) n
  ),
  events AS (${event('contact_created', 'c')})
  SELECT place.name AS stage, ${card} FROM c, place`,
);

/** Organization, contact, first name, last name, email, source, tags, custom fields, time; null leaves a field unchanged. */
export const updateContact = statement(
  'update-contact',
  `WITH c AS (
    UPDATE contact SET first_name = coalesce($3, first_name), last_name = coalesce($4, last_name), email = coalesce($5, email),
      source = coalesce($6, source), tags = coalesce($7::jsonb, tags), custom_fields = coalesce($8::jsonb, custom_fields),
      updated_at = $9
    WHERE id = $2 AND organization_id = $1 RETURNING *
  ),
  events AS (${event('contact_updated', 'c')})
  SELECT s.name AS stage, ${card} FROM c JOIN stage s ON s.id = c.stage_id`,
);

/** Organization, contact, stage, time. */
export const moveContact = statement(
  'move-contact',
  `WITH place AS (
    SELECT s.id, s.name, s.pipeline_id FROM stage s JOIN pipeline p ON p.id = s.pipeline_id
    WHERE s.id = $3 AND p.organization_id = $1 AND p.type = 'Contact'
  ),
  c AS (
    UPDATE contact SET stage_id = place.id, pipeline_id = place.pipeline_id, updated_at = $4 FROM place
    WHERE contact.id = $2 AND organization_id = $1 RETURNING contact.*
  ),
  events AS (${event('contact_moved', 'c')})
  SELECT place.name AS stage, ${card} FROM c, place`,
);

/** Email address, source address. */
export const findAccount = statement(
  'find-account',
  `SELECT a.*, (SELECT max(blocked_until) > now() FROM login_failures WHERE subject IN ($1, $2)) AS is_blocked
  FROM account a WHERE a.email = $1`,
);

/** Session, account. A successful login resets the failures of the account. */
export const openSession = statement(
  'open-session',
  `WITH forgiven AS (DELETE FROM login_failures f USING account a WHERE a.id = $2 AND f.subject = a.email)
  INSERT INTO session VALUES ($1, $2, now())`,
);

/** Pipeline, organization, ids of stages, their names. */
export const renameStages = statement(
  'rename-stages',
  `UPDATE stage SET name = new.name FROM unnest($3::text[], $4::text[]) AS new (id, name), pipeline p
  WHERE stage.id = new.id AND stage.pipeline_id = $1 AND p.id = $1 AND p.organization_id = $2`,
);

const contactOfSender = (source: string) => `
  known AS (
    SELECT p.contact_id AS id FROM contact_phone p, target WHERE p.organization_id = target.organization_id AND p.value = $2
  ),
  place AS (
    SELECT s.id, s.pipeline_id FROM target JOIN pipeline p ON p.organization_id = target.organization_id
    JOIN stage s ON s.pipeline_id = p.id WHERE p.type = 'Contact' AND p.is_active ORDER BY s.position LIMIT 1
  ),
  created AS (
    INSERT INTO contact (${columns}, last_message_at, last_message_direction)
    SELECT $3, target.organization_id, $4, $5, $6, jsonb_build_array(jsonb_build_object('value', $2::text, 'label', '', 'isPrimary', true)),
      ${source}, place.pipeline_id, place.id, coalesce(target.account_id, ''), target.account_id, '[]', $7::jsonb, '[]', false, $8, $8, $2,
      $10, CASE WHEN $10::text IS NOT NULL THEN 'inbound' END
    FROM target, place WHERE NOT EXISTS (SELECT FROM known) RETURNING *
  ),
  phones AS (INSERT INTO contact_phone SELECT organization_id, $2, id FROM created),
  created_events AS (${event('contact_created', 'created')}),
  sender AS (SELECT id FROM known UNION ALL SELECT id FROM created),
  talk AS (
    INSERT INTO conversation AS held SELECT $9, target.organization_id, sender.id, $10 FROM target, sender
    ON CONFLICT (contact_id) DO UPDATE SET last_message_at = coalesce(EXCLUDED.last_message_at, held.last_message_at)
    RETURNING id, contact_id, organization_id
  )`;

/**
 * Configuration, number, new contact, first name, last name, email, custom fields, time, new conversation, null. Sets only the fields
 * that a known contact does not have yet.
 */
export const receiveLead = statement(
  'receive-lead',
  `WITH target AS (SELECT * FROM outreach_configuration WHERE id = $1 AND is_active),
  ${contactOfSender('target.source')},
  merged AS (
    UPDATE contact SET email = coalesce(contact.email, $6), custom_fields = contact.custom_fields || $7::jsonb, updated_at = $8
    FROM known WHERE contact.id = known.id RETURNING contact.*
  ),
  merged_events AS (${event('contact_updated', 'merged')})
  SELECT talk.id AS conversation_id, talk.contact_id FROM talk`,
);

/**
 * Number of the organization, number of the sender, new contact, its first name, its last name, null, no custom fields, time, new
 * conversation, time, message, the provider's id of it, text.
 */
export const receiveText = statement(
  'receive-text',
  `WITH target AS (SELECT * FROM phone_assignment WHERE value = $1),
  ${contactOfSender("'Incoming SMS'")},
  written AS (
    INSERT INTO message SELECT $11, talk.id, $12, 'inbound', $13, $8 FROM talk RETURNING id, conversation_id
  ),
  touched AS (
    UPDATE contact SET last_message_at = $8, last_message_direction = 'inbound' FROM known WHERE contact.id = known.id
  ),
  message_events AS (
    INSERT INTO outbox (organization_id, event, at, data)
    SELECT talk.organization_id, 'message_created', $8,
      jsonb_build_object('conversationId', talk.id, 'contactId', talk.contact_id, 'messageId', $11::text, 'body', $13::text)
    FROM talk
  )
  SELECT talk.id AS conversation_id, talk.contact_id, written.id AS message_id FROM talk, written`,
);
