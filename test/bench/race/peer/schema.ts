/** Tables and indexes that every operation of the peer needs, with those for substring search. */
export const tables = `
CREATE EXTENSION pg_trgm;
CREATE TABLE pipeline (
  id text PRIMARY KEY, organization_id text NOT NULL, type text NOT NULL, is_active boolean NOT NULL
);
CREATE INDEX ON pipeline (organization_id);
CREATE TABLE stage (
  id text PRIMARY KEY, pipeline_id text NOT NULL REFERENCES pipeline, position int NOT NULL, name text NOT NULL
);
CREATE INDEX ON stage (pipeline_id, position);
CREATE TABLE account (
  id text PRIMARY KEY, organization_id text NOT NULL, email text NOT NULL UNIQUE, password_hash text NOT NULL,
  role text NOT NULL, first_name text NOT NULL, last_name text NOT NULL
);
CREATE TABLE login_failures (
  subject text PRIMARY KEY, failures int NOT NULL, blocked_until timestamptz NOT NULL
);
CREATE TABLE session (
  id text PRIMARY KEY, account_id text NOT NULL REFERENCES account, created_at timestamptz NOT NULL
);
CREATE TABLE contact (
  id text COLLATE "C" PRIMARY KEY, organization_id text NOT NULL,
  first_name text NOT NULL, last_name text NOT NULL, email text, phone_numbers jsonb NOT NULL, source text,
  pipeline_id text NOT NULL, stage_id text NOT NULL, created_by text NOT NULL, owner text, assignees jsonb NOT NULL,
  custom_fields jsonb NOT NULL, tags jsonb NOT NULL, is_bulk_import boolean NOT NULL,
  last_message_at text, last_message_direction text, created_at text COLLATE "C" NOT NULL, updated_at text NOT NULL,
  names text NOT NULL GENERATED ALWAYS AS (
    replace(lower(normalize(first_name || ' ' || last_name, NFKC) COLLATE "und-x-icu"), 'ς', 'σ')
  ) STORED,
  numbers text NOT NULL
);
CREATE TABLE contact_phone (
  organization_id text NOT NULL, value text NOT NULL, contact_id text NOT NULL, PRIMARY KEY (organization_id, value)
);
CREATE TABLE phone_assignment (value text PRIMARY KEY, organization_id text NOT NULL, account_id text NOT NULL);
CREATE TABLE outreach_configuration (
  id text PRIMARY KEY, organization_id text NOT NULL, account_id text, source text NOT NULL, is_active boolean NOT NULL
);
CREATE TABLE conversation (
  id text PRIMARY KEY, organization_id text NOT NULL, contact_id text NOT NULL UNIQUE, last_message_at text
);
CREATE TABLE message (
  id text PRIMARY KEY, conversation_id text NOT NULL, provider_id text UNIQUE, direction text NOT NULL, body text NOT NULL,
  created_at text NOT NULL
);
CREATE INDEX ON message (conversation_id, created_at);
CREATE TABLE outbox (
  id bigserial PRIMARY KEY, organization_id text NOT NULL, event text NOT NULL, at text NOT NULL, data jsonb NOT NULL
);`;

/** Created after the contacts are loaded, as is usual for bulk loads. */
export const indexes = `
CREATE INDEX contact_column ON contact (stage_id, created_at DESC, id DESC);
CREATE INDEX contact_names ON contact USING gin (names gin_trgm_ops);
CREATE INDEX contact_numbers ON contact USING gin (numbers gin_trgm_ops);
CREATE INDEX contact_phone_contact ON contact_phone (contact_id);`;

/** Small, so that counting the contacts of a stage reads little. */
export const countedIndex = 'CREATE INDEX contact_stage ON contact (stage_id);';

/** Totals for each stage and view, which triggers keep up to date. A view has all contacts, those of a user, or the unassigned ones. */
export const counters = `
CREATE TABLE board_counter (stage_id text, view text, n bigint NOT NULL, PRIMARY KEY (stage_id, view))
  WITH (fillfactor = 50);
CREATE FUNCTION views_of(c contact) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'all' UNION SELECT c.created_by UNION SELECT c.owner WHERE c.owner IS NOT NULL
  UNION SELECT jsonb_array_elements_text(c.assignees)
  UNION SELECT 'unassigned' WHERE c.owner IS NULL AND c.assignees = '[]'
$$;
INSERT INTO board_counter SELECT stage_id, view, count(*) FROM contact, views_of(contact) AS view GROUP BY 1, 2;
CREATE FUNCTION count_contact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO board_counter AS counter
    SELECT stage_id, view, sum(change) FROM (
      SELECT NEW.stage_id, view, 1 FROM views_of(NEW) AS view WHERE TG_OP <> 'DELETE'
      UNION ALL SELECT OLD.stage_id, view, -1 FROM views_of(OLD) AS view WHERE TG_OP <> 'INSERT'
    ) AS change (stage_id, view, change)
    GROUP BY 1, 2 HAVING sum(change) <> 0 ORDER BY 1, 2
  ON CONFLICT (stage_id, view) DO UPDATE SET n = counter.n + EXCLUDED.n;
  RETURN NULL;
END $$;
CREATE TRIGGER contact_counted AFTER INSERT OR DELETE OR UPDATE OF stage_id, created_by, owner, assignees ON contact
  FOR EACH ROW EXECUTE FUNCTION count_contact();`;
