import type { QueryConfig } from 'pg';

/** A statement that PostgreSQL prepares once for each connection. The comments of the statements list their parameters. */
function statement(name: string, text: string): (values: readonly unknown[]) => QueryConfig {
  return (values) => ({ name, text, values: [...values] });
}

const card = `c.id, c.organization_id, c.first_name, c.last_name, c.email, c.phone_numbers, c.source, c.pipeline_id, c.stage_id,
  c.created_by, c.owner, c.assignees, c.custom_fields, c.tags, c.is_bulk_import, c.last_message_at, c.last_message_direction,
  c.created_at, c.updated_at`;

const activeStages = `SELECT s.id, s.name, s.position FROM pipeline p JOIN stage s ON s.pipeline_id = p.id
  WHERE p.organization_id = $1 AND p.type = 'Contact' AND p.is_active`;

/** Organization, size. */
export const board = statement(
  'board',
  `WITH stages AS (${activeStages}),
  s AS MATERIALIZED (
    SELECT s.name, s.id, s.position, (SELECT count(*) FROM contact WHERE stage_id = s.id)::int AS total FROM stages s
  )
  SELECT s.name AS stage, s.total, ${card}
  FROM s LEFT JOIN LATERAL (
    SELECT * FROM contact WHERE stage_id = s.id ORDER BY created_at DESC, id DESC LIMIT $2
  ) c ON true
  ORDER BY s.position, c.created_at DESC, c.id DESC`,
);

/** Organization, size, pattern. */
export const searchContacts = statement(
  'search',
  `WITH s AS (${activeStages}), found AS MATERIALIZED (
    SELECT id, stage_id, row_number() OVER newest AS place, count(*) OVER (PARTITION BY stage_id)::int AS total
    FROM contact WHERE organization_id = $1 AND (names LIKE $3 OR numbers LIKE $3)
    WINDOW newest AS (PARTITION BY stage_id ORDER BY created_at DESC, id DESC)
  )
  SELECT s.name AS stage, coalesce(f.total, 0) AS total, ${card}
  FROM s LEFT JOIN (SELECT * FROM found WHERE place <= $2) f ON f.stage_id = s.id LEFT JOIN contact c ON c.id = f.id
  ORDER BY s.position, f.place`,
);

const event = (name: string, from: string) =>
  `INSERT INTO outbox (organization_id, event, at, data)
    SELECT c.organization_id, '${name}', c.updated_at, to_jsonb(c) - 'names' - 'numbers' FROM ${from} c`;

/** Organization, id, user, first name, last name, email, phone numbers, source, tags, custom fields, time, numbers as searched. */
export const createContact = statement(
  'create-contact',
  `WITH place AS (${activeStages} ORDER BY s.position LIMIT 1),
  c AS (
    INSERT INTO contact (id, organization_id, first_name, last_name, email, phone_numbers, source, pipeline_id, stage_id, created_by,
      owner, assignees, custom_fields, tags, is_bulk_import, created_at, updated_at, numbers)
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
