-- Truth: what exports said. Times are UTC without zone; null means unknown.
CREATE TABLE chat (
    chat_no        INTEGER NOT NULL,   -- internal, new whenever the chat is written again; the middle bits of a message_key
    chat_id        VARCHAR NOT NULL,   -- <source>:<native id>, durable
    source         VARCHAR NOT NULL,
    native_id      VARCHAR NOT NULL,
    title          VARCHAR,
    title_origin   VARCHAR NOT NULL,
    created_at     TIMESTAMP,
    updated_at     TIMESTAMP,
    project_id     VARCHAR,
    project_name   VARCHAR,
    user_id        VARCHAR NOT NULL,
    agent_id       VARCHAR NOT NULL,
    model          VARCHAR,
    source_url     VARCHAR,
    resume         VARCHAR,
    kind           VARCHAR NOT NULL,
    parent_chat_id VARCHAR,
    continues      VARCHAR,
    archived       BOOLEAN NOT NULL,
    starred        BOOLEAN NOT NULL,
    origin_file    VARCHAR NOT NULL,
    origin_member  VARCHAR,
    content_hash   UBIGINT NOT NULL,   -- of the chat as its reader gave it
    people         BOOLEAN NOT NULL,   -- talk between people: every message is a unit of its own
    messages       INTEGER NOT NULL,   -- visible on the main path
    units          INTEGER NOT NULL,   -- and the lengths, in words, that BM25 needs
    own_length     INTEGER NOT NULL,
    context_length INTEGER NOT NULL,
    length         INTEGER NOT NULL
);

CREATE TABLE message (
    message_key BIGINT NOT NULL,       -- lane, chat_no, unit, offset: see archive/keys.py
    chat_no     INTEGER NOT NULL,
    position    INTEGER NOT NULL,      -- reading order within the chat, all parts
    n           INTEGER,               -- 1-based among visible messages of the main path
    message_id  VARCHAR NOT NULL,
    parent_id   VARCHAR,
    role        VARCHAR NOT NULL,
    author      VARCHAR,
    model       VARCHAR,
    created_at  TIMESTAMP,
    branch      VARCHAR NOT NULL,
    hidden      VARCHAR,
    text        VARCHAR NOT NULL,
    attachments VARCHAR,               -- JSON list
    pointer     VARCHAR NOT NULL,
    home        VARCHAR,
    hash        UBIGINT NOT NULL       -- of the message as its reader gave it
);

-- What was read, and with what result; a file whose size and time are unchanged is not read again.
CREATE TABLE import_file (
    path      VARCHAR NOT NULL,
    member    VARCHAR,
    format    VARCHAR NOT NULL,
    bytes     BIGINT NOT NULL,
    mtime_ns  BIGINT NOT NULL,
    settings  VARCHAR NOT NULL,        -- reader version and options that change the result
    chats     INTEGER NOT NULL,
    empty     INTEGER NOT NULL,
    messages  INTEGER NOT NULL,
    skipped   INTEGER NOT NULL,
    read_at   TIMESTAMP NOT NULL
);

-- Indexes: derived from the tables above, stamped, rebuilt when the stamp differs.
CREATE TABLE stamp (name VARCHAR NOT NULL, value VARCHAR NOT NULL);

CREATE TABLE posting (term UBIGINT NOT NULL, message_key BIGINT NOT NULL, tf USMALLINT NOT NULL);

CREATE TABLE term (term UBIGINT NOT NULL, text VARCHAR NOT NULL);

CREATE TABLE unit (
    unit_key       BIGINT NOT NULL,    -- message_key without the offset
    own_length     INTEGER NOT NULL,
    context_length INTEGER NOT NULL,
    author         VARCHAR,
    created_at     TIMESTAMP
);
