"""Every error of the bot, in one tree. Imports nothing.

PaperroundError            `str(error)` is what a person reads: what happened, to which thing, and what to do next
├── UserError              what somebody typed or pressed cannot be done; answered privately, never logged as a fault
│   ├── UsageError         the words do not fit the command
│   ├── NotFound           no such paper, interest, command or list
│   ├── NotAllowed         the person may not do this here
│   └── Expired            a button of a list that is kept no longer
├── SetupError             the installation cannot start: exit code 2
│   ├── SettingsError      a setting is wrong
│   ├── StoreError         the database cannot be opened, or is newer than this program
│   └── FileError          a file is missing, unreadable, too large or not what it says
├── SourceError            a source of papers did not answer, or answered nonsense
├── EmbedderError          texts could not be turned into dense vectors
├── RankerError            a ranker raised something, or gave what are no scores; another one ranks for it
└── DeliveryError          a message did not go out as asked
    ├── Retry              not taken, and it may be tried again after `after` seconds
    ├── Refused            not taken, and trying again will not help: closed, archived, removed, no permission; or it
    │                      is about this message alone
    ├── Uncertain          the request left and no answer came: look before trying again
    └── Unknown            it could not be looked up whether the message arrived
"""


class PaperroundError(Exception):
    """The root: its text is meant for people."""


class UserError(PaperroundError):
    """What somebody typed or pressed cannot be done."""


class UsageError(UserError):
    """The words do not fit the command."""


class NotFound(UserError):  # noqa: N818 - read as a sentence: raise NotFound("…")
    """There is no such paper, interest, command or list."""


class NotAllowed(UserError):  # noqa: N818
    """The person may not do this here."""


class Expired(UserError):  # noqa: N818
    """The list behind a button is kept no longer."""


class SetupError(PaperroundError):
    """The installation cannot start; the program ends with exit code 2."""


class SettingsError(SetupError):
    """A setting is wrong."""


class StoreError(SetupError):
    """The database cannot be opened, or is newer than this program."""


class FileError(SetupError):
    """A file is missing, unreadable, too large or not what it says."""


class SourceError(PaperroundError):
    """A source of papers did not answer, or answered nonsense.

    `after`: seconds for which it does not want to be asked again; 0 if it tells none.
    """

    def __init__(self, text: str = "", after: float = 0.0) -> None:
        super().__init__(text)
        self.after = after


class EmbedderError(PaperroundError):
    """Texts could not be turned into dense vectors; digests go out without them.

    `after`: seconds for which it does not want to be asked again; 0 if it tells none.
    """

    def __init__(self, text: str = "", after: float = 0.0) -> None:
        super().__init__(text)
        self.after = after


class RankerError(PaperroundError):
    """A ranker raised something, or gave what are no scores; another one ranks for it. `ranker` is its name."""

    def __init__(self, ranker: str, why: object) -> None:
        told = f"{type(why).__name__}: {why}" if isinstance(why, Exception) else str(why)
        super().__init__(f"the ranker {ranker}: {told}")
        self.ranker = ranker


class DeliveryError(PaperroundError):
    """A message did not go out as asked."""


class Retry(DeliveryError):  # noqa: N818
    """Not taken; it may be tried again after `after` seconds, or 0 if the platform tells none.

    `everywhere`: the bot may send nothing at all until then; otherwise nothing to this destination.
    """

    def __init__(self, text: str, after: float, everywhere: bool = False) -> None:
        super().__init__(text)
        self.after = after
        self.everywhere = everywhere


class Refused(DeliveryError):  # noqa: N818
    """Not taken, and trying again will not help.

    `closed`: the destination takes no other message either, as far as is known; else it is about this one.
    """

    def __init__(self, text: str = "", *, closed: bool = True) -> None:
        super().__init__(text)
        self.closed = closed


class Uncertain(DeliveryError):  # noqa: N818
    """The request left and no answer came."""


class Unknown(DeliveryError):  # noqa: N818
    """It could not be looked up whether the message arrived."""
