"""Paper ids: one written form each, `namespace:value`, whatever people and sources paste."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, quote, unquote, urlsplit

LONGEST_TEXT = 2000  # characters looked at: a link is never longer, and every pattern here is linear
LONGEST_ID = 300  # characters, as the store's columns

_OLD_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|dg-ga|funct-an|"
    "gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|physics|plasm-ph|q-alg|q-bio|"
    "quant-ph|solv-int|stat|supr-con"
)
_ARXIV_NEW = re.compile(r"(\d{2})(0[1-9]|1[0-2])\.(\d{4,5})(?:v\d{1,3})?", re.ASCII)
_ARXIV_OLD = re.compile(
    rf"({_OLD_ARCHIVES})(?:\.[a-z-]{{2,10}})?/((?:9\d|0[0-7])(?:0[1-9]|1[0-2])\d{{3}})(?:v\d{{1,3}})?",
    re.ASCII | re.IGNORECASE,
)
_ARXIV_PREFIX = re.compile(r"(?:oai:)?arxiv(?:\.org)?\s{0,3}:\s{0,3}", re.IGNORECASE)
_ARXIV_HOSTS = ("arxiv.org", "ar5iv.org", "ar5iv.labs.arxiv.org", "xxx.lanl.gov", "alphaxiv.org", "huggingface.co")
_ARXIV_PATH = re.compile(r"/(?:abs|pdf|html|ps|src|e-print|format|overview|papers)/(.+)")

_DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,3}/\S+", re.ASCII)
_DOI_PREFIX = re.compile(r"doi(?:\.org/|\s{0,3}:\s{0,3})", re.IGNORECASE)
_DOI_PATH = re.compile(r"/doi/(?:[a-z]{2,12}/){0,2}(10\.\d{4,9}/[^?#]+)", re.IGNORECASE)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)")
# openRxiv moved from the prefix of Cold Spring Harbor (10.1101) to its own (10.64898) at the end of 2025.
_RXIV_DOI = re.compile(
    r"(10\.(?:1101|64898)/(?:\d{4}\.\d{2}\.\d{2}\.)?\d{6,9})(?:v\d{1,3})?(?:\.[a-z.-]{1,30}|/.{0,80})?"
)
_RXIV_PATH = re.compile(r"/content/(?:biorxiv/|medrxiv/|early/)?(10\.\d{4,9}/[^?#]+)")

_ACL = re.compile(r"(?:[A-Z]\d{2}-\d{4,5}|\d{4}\.[a-z0-9_]{1,30}-[a-z0-9_]{1,30}\.\d{1,5})", re.ASCII)
_ACL_LEGACY = re.compile(r"[a-z]\d{2}-\d{4,5}", re.ASCII)
_OPENREVIEW = re.compile(r"[A-Za-z0-9_-]{6,40}", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{40}", re.ASCII)
_NUMBER = re.compile(r"\d{1,12}", re.ASCII)
_PMID_PREFIX = re.compile(r"(?:pmid|pubmed)\s{0,3}:?\s{0,3}(\d{1,9})", re.ASCII | re.IGNORECASE)
_OWN = re.compile(r"(?=[a-z0-9._-]{0,39}[a-z])([a-z0-9][a-z0-9._-]{0,39}):([^\s:/][^\s]*)", re.ASCII | re.IGNORECASE)
_NOT_OURS = {"http", "https", "ftp", "file", "mailto", "javascript", "data", "tel", "urn", "oai", "ssh", "git", "www"}
_URL = re.compile(r"https?://", re.IGNORECASE)
_BARE_HOST = re.compile(r"(?:[a-z0-9-]{1,60}\.){1,4}[a-z]{2,6}/", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def normalise(text: str) -> str | None:
    """Return the one form of a paper id, link or DOI (`arxiv:2504.08385`), or None if it is no id that is known.

    Versions are dropped, DOIs are folded to lower case, and a DOI of arXiv is an arXiv id. Ids of our own form
    (`nips2018:abc`, with a digit somewhere) pass with their namespace in lower case; whether there is such a paper is
    for the store to say.
    """
    if len(text) > LONGEST_TEXT:
        return None
    text = _unwrapped(text.strip())
    if not text or _UNSEEN.search(text):
        return None
    if _URL.match(text):
        found = _from_url(text)
    else:
        # An old arXiv id (math.GT/0309136) looks like a host name, so ids come first.
        found = _arxiv(text) or _from_doi(text) or (_from_url(text) if _BARE_HOST.match(text) else _from_prefix(text))
    return found if found and len(found) <= LONGEST_ID else None


def url_of(identifier: str) -> str:
    """Return the public link of a normalised id, or an empty string where its namespace has none."""
    namespace, _, value = identifier.partition(":")
    template = _LINKS.get(namespace)
    return template + quote(value, safe="/:;().,-_~") if template and value else ""


_LINKS = {
    "arxiv": "https://arxiv.org/abs/",
    "doi": "https://doi.org/",
    "openreview": "https://openreview.net/forum?id=",
    "acl": "https://aclanthology.org/",
    "s2": "https://www.semanticscholar.org/paper/",
    "corpusid": "https://api.semanticscholar.org/CorpusID:",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
}


def _unwrapped(text: str) -> str:
    """Take off what chats and reference lists put around an id: `<url|label>`, quotes, brackets, a full stop."""
    if text.startswith("<") and text.endswith(">"):
        text = text[1:-1].partition("|")[0]
    return text.strip(" \t\n\r\"'`“”‘’[]<>").rstrip(".,;:!")


def _arxiv(text: str) -> str | None:
    text = _ARXIV_PREFIX.sub("", text, count=1) if _ARXIV_PREFIX.match(text) else text
    text = re.sub(r"\s{0,3}\[[A-Za-z.-]{2,20}\]?$", "", text)  # "arXiv:2504.08385 [cs.CL]"
    if new := _ARXIV_NEW.fullmatch(text):
        # Numbers have four digits from April 2007 to December 2014, and five since.
        month = new[1] + new[2]
        if month >= "0704" and len(new[3]) == (5 if month >= "1501" else 4):
            return f"arxiv:{month}.{new[3]}"
        return None
    if old := _ARXIV_OLD.fullmatch(text):
        return f"arxiv:{old[1].lower()}/{old[2]}"
    return None


def _from_doi(text: str) -> str | None:
    text = _DOI_PREFIX.sub("", text, count=1) if _DOI_PREFIX.match(text) else text
    doi = _DOI.fullmatch(text)
    return _doi(doi[0]) if doi else None


def _doi(doi: str) -> str | None:
    doi = _trimmed(doi.casefold())
    if arxiv := _ARXIV_DOI.fullmatch(doi):
        return _arxiv(arxiv[1])
    if preprint := _RXIV_DOI.fullmatch(doi):
        return f"doi:{preprint[1]}"
    return f"doi:{doi}" if _DOI.fullmatch(doi) else None


def _trimmed(doi: str) -> str:
    """Drop the punctuation of the sentence around a DOI; a bracket stays if its partner is inside the DOI."""
    while doi:
        last = doi[-1]
        opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(last)
        if last in ".,;:!?\"'”’" or (opening and doi.count(opening) < doi.count(last)):
            doi = doi[:-1]
        else:
            break
    return doi


def _from_prefix(text: str) -> str | None:
    if pmid := _PMID_PREFIX.fullmatch(text):
        return f"pmid:{int(pmid[1])}"
    if _SHA.fullmatch(text.lower()):
        return f"s2:{text.lower()}"
    own = _OWN.fullmatch(text)
    if not own or own[1].lower() in _NOT_OURS:
        return None
    namespace, value = own[1].lower(), own[2]
    if check := _NAMESPACES.get(namespace):
        return check(value)
    # "at:scale" is what somebody searches for; ids that sources make of their own hold a digit.
    return f"{namespace}:{value}" if re.search(r"\d", text, re.ASCII) else None


def _whole(pattern: re.Pattern[str], namespace: str, fold: bool = False) -> Callable[[str], str | None]:
    def check(value: str) -> str | None:
        value = value.lower() if fold else value
        return f"{namespace}:{value}" if pattern.fullmatch(value) else None

    return check


def _acl(value: str) -> str | None:
    value = value.upper() if _ACL_LEGACY.fullmatch(value) else value
    return f"acl:{value}" if _ACL.fullmatch(value) else None


_NAMESPACES: dict[str, Callable[[str], str | None]] = {
    "arxiv": _arxiv,
    "doi": _from_doi,
    "openreview": _whole(_OPENREVIEW, "openreview"),
    "acl": _acl,
    "s2": _whole(_SHA, "s2", fold=True),
    "corpusid": _whole(_NUMBER, "corpusid"),
    "pmid": lambda _value: None,  # what its own pattern refused
}


def _from_url(text: str) -> str | None:
    try:
        parts = urlsplit(text if _URL.match(text) else f"https://{text}")
        host = (parts.hostname or "").removeprefix("www.")
        path, query = unquote(parts.path), parse_qs(parts.query, max_num_fields=50)
    except ValueError:  # a broken IPv6 address, too many fields
        return None
    for names, read in _SITES:
        if any(host == name or host.endswith("." + name) for name in names) and (found := read(path, query)):
            return found
    doi = _DOI_PATH.fullmatch(path)
    return _doi(re.sub(r"(?:/(?:full|abstract|pdf|epdf|meta))$", "", doi[1])) if doi else None


_Query = dict[str, list[str]]


def _arxiv_page(path: str, _query: _Query) -> str | None:
    found = _ARXIV_PATH.fullmatch(path)
    return _arxiv(re.sub(r"(?:\.pdf|/)$", "", found[1])) if found else None


def _openreview_page(path: str, query: _Query) -> str | None:
    value = query.get("id", [""])[0]
    known = path.rstrip("/") in ("/forum", "/pdf", "/attachment", "/references/pdf")
    return f"openreview:{value}" if known and _OPENREVIEW.fullmatch(value) else None


def _acl_page(path: str, _query: _Query) -> str | None:
    last = path.rstrip("/").rpartition("/")[2]
    return _acl(re.sub(r"(?:v\d{1,2})?(?:\.pdf|\.bib|\.xml|\.endf)?$", "", last))


def _scholar_page(path: str, _query: _Query) -> str | None:
    last = path.rstrip("/").rpartition("/")[2]
    corpus = re.fullmatch(r"CorpusID:(\d{1,12})", last, re.ASCII | re.IGNORECASE)
    if corpus:
        return f"corpusid:{corpus[1]}"
    return f"s2:{last.lower()}" if "/paper/" in path and _SHA.fullmatch(last.lower()) else None


def _pubmed_page(path: str, _query: _Query) -> str | None:
    found = re.fullmatch(r"/(?:pubmed/)?(\d{1,9})/?", path, re.ASCII)
    return f"pmid:{int(found[1])}" if found else None


def _preprint_page(path: str, _query: _Query) -> str | None:
    found = _RXIV_PATH.fullmatch(path)
    return _doi(found[1]) if found else None


_SITES: tuple[tuple[tuple[str, ...], Callable[[str, _Query], str | None]], ...] = (
    (_ARXIV_HOSTS, _arxiv_page),
    (("doi.org",), lambda path, _query: _from_doi(path.lstrip("/"))),
    (("openreview.net",), _openreview_page),
    (("aclanthology.org", "aclweb.org"), _acl_page),
    (("semanticscholar.org",), _scholar_page),
    (("pubmed.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov"), _pubmed_page),
    (("biorxiv.org", "medrxiv.org"), _preprint_page),
)
