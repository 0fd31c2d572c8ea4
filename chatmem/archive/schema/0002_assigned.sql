-- What was said by hand about a chat at an import (user, agent, project), so that a later import does not undo it.
ALTER TABLE chat ADD COLUMN assigned VARCHAR DEFAULT '';
