/** The tables of the PostgreSQL store, in a schema of their own. */

/**
 * One migration per version, never changed once released.
 * - `session.events` and `hash` are the head of its log; `line` has no `prev`, which is the hash of the preceding line. A session
 *   without events was opened and not yet written.
 * - `session.epoch` numbers the leases of all sessions: each takes the next number, and an append states the one it holds. `holder`
 *   is the process of the lease as JSON, and `beat` its last sign of life, by the database's clock.
 * - `line` is never updated; the free space in the pages of `session` keeps updates of its rows off the indexes.
 * - `packed` is the start of an archived log, with the blobs that it names; `line` has the events after it.
 * - `word` is the full-text index of the first `session.indexed` events of each session.
 * - `draft` holds an unfinished response in pieces, in the order of `place`.
 * - `session.tenant` is the tenant of a cluster whose session it is, from its beginning; NULL for nobody's. `tenant` has the limits of
 *   each (NULL for none), the times of the messages of the last minute, and what was spent on `day`. An `admission` counts as
 *   work of a session until the message is among the cluster's, a `reservation` as spent until its request is settled.
 */
export const migrations: ReadonlyArray<string> = [
  `
  CREATE SEQUENCE epoch;
  CREATE TABLE session (
    num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    cwd text NOT NULL DEFAULT '',
    title text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    created bigint NOT NULL DEFAULT 0,
    updated bigint NOT NULL DEFAULT 0,
    events integer NOT NULL DEFAULT 0,
    hash text NOT NULL DEFAULT '',
    parent text,
    indexed integer NOT NULL DEFAULT 0,
    epoch bigint NOT NULL DEFAULT 0,
    holder text,
    beat timestamptz
  ) WITH (fillfactor = 60);
  CREATE INDEX children ON session (parent) WHERE parent IS NOT NULL;
  CREATE TABLE line (
    session bigint NOT NULL,
    seq integer NOT NULL,
    hash text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (session, seq)
  );
  CREATE TABLE packed (session bigint PRIMARY KEY, bytes bytea NOT NULL, blobs text[] NOT NULL);
  CREATE TABLE blob (hash text PRIMARY KEY, codec text NOT NULL, bytes bytea NOT NULL);
  CREATE TABLE draft (session text NOT NULL, place integer NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (session, place));
  CREATE TABLE word (session bigint NOT NULL, seq integer NOT NULL, words tsvector NOT NULL, PRIMARY KEY (session, seq));
  CREATE INDEX words ON word USING gin (words);
`,
  `
  ALTER TABLE session ADD COLUMN tenant text;
  CREATE INDEX session_of_tenant ON session (tenant, updated) WHERE tenant IS NOT NULL;
  CREATE TABLE tenant (
    name text PRIMARY KEY,
    max_sessions integer,
    max_messages integer,
    max_usd float8,
    messages timestamptz[] NOT NULL DEFAULT '{}',
    day text NOT NULL DEFAULT '',
    usd float8 NOT NULL DEFAULT 0
  ) WITH (fillfactor = 60);
  CREATE TABLE admission (
    session text NOT NULL,
    message text NOT NULL,
    tenant text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (session, message)
  );
  CREATE TABLE reservation (id text PRIMARY KEY, tenant text NOT NULL, day text NOT NULL, usd float8 NOT NULL);
`
]
