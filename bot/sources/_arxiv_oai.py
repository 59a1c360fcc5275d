"""Records of arXiv's OAI-PMH interface to papers: https://info.arxiv.org/help/oa/index.html. Pure.

Read are the formats `arXiv`, `arXivRaw` and `oai_dc`, in lists, by themselves, or as one bare record.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from xml.etree.ElementTree import Element

from bot.errors import SourceError
from bot.sources._arxiv_fields import undoubled, when
from bot.sources._arxiv_record import record_of
from bot.sources._said import reason
from bot.sources._xml import local, parse_xml
from recommender.types import Paper

WHAT = "The answer of arXiv's OAI-PMH"
BAD_TOKEN, NO_RECORDS = "badResumptionToken", "noRecordsMatch"


class RefusalError(SourceError):
    """arXiv understood the question, and says why it will not answer it: asking again will not help."""


@dataclass(frozen=True, slots=True)
class Harvest:
    """One answer: its papers, how many records it had, the token of the next ("" at the end), the code of an error.

    `first` and `last` are the days (UTC) on which the records changed, the earliest and the latest of them.
    """

    papers: tuple[Paper, ...]
    records: int
    token: str = ""
    error: str = ""
    first: date | None = None
    last: date | None = None


def parse_oai(body: bytes) -> Harvest:
    """Read an answer; deleted records, and those without an id or a title, are left out.

    The errors BAD_TOKEN and NO_RECORDS come back. Raises RefusalError for all others, and SourceError for what is no
    such answer.
    """
    root = parse_xml(undoubled(body), WHAT)
    if local(root.tag) not in ("OAI-PMH", "record", "ListRecords", "GetRecord"):
        raise SourceError(f"{WHAT} is none of OAI-PMH.")
    records: list[Element] = []
    token, days = "", list[date]()
    for element in root.iter():
        name = local(element.tag)
        if name == "record":
            records.append(element)
        elif name == "datestamp" and (changed := when((element.text or "").strip())):
            days.append(changed.date())
        elif name == "resumptionToken":
            token = (element.text or "").strip()
        elif name == "error":
            code = element.get("code", "")
            if code not in (BAD_TOKEN, NO_RECORDS):
                said = reason(element.text) or reason(code) or "it does not say why"
                raise RefusalError(f"arXiv's OAI-PMH refuses: {said}.")
            return Harvest((), 0, error=code)
    papers = tuple(found for record in records if (found := record_of(record)))
    return Harvest(papers, len(records), token, "", min(days, default=None), max(days, default=None))
