"""A prompt from three memories, the current conversation, facts and past conversations, each within its budget."""
