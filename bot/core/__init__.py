"""Types, words and rules of the bot: no input or output, no clock, no platform."""
