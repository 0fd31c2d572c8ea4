-- Index: vectors of passages, of one model (stamp 'vectors') at a time. A model of another dimension gets another table
-- of this shape, with as many sign columns as it needs: archive/vectors.py.
CREATE TABLE vector (
    message_key BIGINT NOT NULL,
    start       INTEGER NOT NULL,      -- the passage within the message's text, in characters
    stop        INTEGER NOT NULL,
    scale       FLOAT NOT NULL,        -- of the copy: its numbers times this are the vector of length one
    copy        BLOB NOT NULL,         -- one signed byte a dimension
    b0          UBIGINT NOT NULL,      -- the signs, 64 dimensions a column
    b1          UBIGINT NOT NULL,
    b2          UBIGINT NOT NULL,
    b3          UBIGINT NOT NULL
);
-- Messages that are here already have none yet.
INSERT INTO stamp SELECT 'unembedded', '1' WHERE EXISTS (SELECT 1 FROM chat);
