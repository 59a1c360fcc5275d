"""The bot: it delivers papers, answers commands and manages subscriptions."""
