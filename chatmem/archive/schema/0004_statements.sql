-- What users said about themselves. Which of it holds now is worked out when it is asked for, in the order of the times
-- (facts/ledger.py), so that the order of imports does not matter.
CREATE TABLE statement (
    chat_no    INTEGER,                -- of the chat that says it; null: said by hand
    message_id VARCHAR,
    n          INTEGER,
    user_id    VARCHAR,                -- of what was said by hand; else those of the chat
    agent_id   VARCHAR,
    attribute  VARCHAR NOT NULL,
    value      VARCHAR NOT NULL,
    says       BOOLEAN NOT NULL,       -- false: that it is not, or no longer, so
    quote      VARCHAR NOT NULL,
    stated_at  TIMESTAMP,
    place      INTEGER NOT NULL,       -- order within the message
    extractor  VARCHAR NOT NULL,       -- patterns/N, model:NAME, hand
    first_no   INTEGER                 -- the number that the chat had when it first stated something: order without times
);
-- Facts that shall not come back: digests, not values.
CREATE TABLE forgotten_fact (
    user_id      VARCHAR NOT NULL,
    agent_id     VARCHAR NOT NULL,
    attribute    VARCHAR NOT NULL,
    digest       VARCHAR NOT NULL,
    forgotten_at TIMESTAMP NOT NULL
);
-- Chats that a model has looked through.
CREATE TABLE extraction (chat_no INTEGER NOT NULL, extractor VARCHAR NOT NULL);
-- Chats that are here already have not been looked through.
INSERT INTO stamp SELECT 'unextracted', '1' WHERE EXISTS (SELECT 1 FROM chat);
