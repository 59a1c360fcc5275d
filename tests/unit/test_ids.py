"""Every way to write a paper's id leads to one form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.ids import LONGEST_ID, normalise, url_of

SHA = "649def34f8be52c8b66281af98ae884c09aef38b"

KNOWN = {
    "hep-th/9901001": "arxiv:hep-th/9901001",
    "math.GT/0309136": "arxiv:math/0309136",
    "MATH.gt/0309136v2": "arxiv:math/0309136",
    "https://arxiv.org/pdf/2504.08385v2.pdf": "arxiv:2504.08385",
    "https://arxiv.org/pdf/2504.08385": "arxiv:2504.08385",
    "arXiv:2504.08385": "arxiv:2504.08385",
    "arxiv: 2504.08385v12": "arxiv:2504.08385",
    "arXiv:2504.08385v1 [cs.CL]": "arxiv:2504.08385",
    "oai:arXiv.org:2504.08385": "arxiv:2504.08385",
    "2504.08385": "arxiv:2504.08385",
    "0704.0001": "arxiv:0704.0001",
    "<https://arxiv.org/abs/2504.08385|a paper>": "arxiv:2504.08385",
    "https://export.arxiv.org/abs/math.GT/0309136v1": "arxiv:math/0309136",
    "arxiv.org/abs/hep-th/9901001": "arxiv:hep-th/9901001",
    "http://www.arxiv.org/html/2504.08385v1#S2": "arxiv:2504.08385",
    "https://huggingface.co/papers/2504.08385": "arxiv:2504.08385",
    "https://doi.org/10.48550/arXiv.2504.08385": "arxiv:2504.08385",
    "10.48550/ARXIV.HEP-TH/9901001": "arxiv:hep-th/9901001",
    "doi:10.1145/3292500.3330701": "doi:10.1145/3292500.3330701",
    "DOI: 10.1145/ABC.Def.": "doi:10.1145/abc.def",
    "https://doi.org/10.1145/3292500.3330701": "doi:10.1145/3292500.3330701",
    "http://dx.doi.org/10.1145%2F3292500.3330701": "doi:10.1145/3292500.3330701",
    "doi.org/10.1145/3292500.3330701": "doi:10.1145/3292500.3330701",
    "10.1016/S0022-5193(99)00945-0)": "doi:10.1016/s0022-5193(99)00945-0",
    "10.1002/(SICI)1097(1998)49:8<693::AID-I4>3.0.CO;2-O": "doi:10.1002/(sici)1097(1998)49:8<693::aid-i4>3.0.co;2-o",
    "https://dl.acm.org/doi/pdf/10.1145/3292500.3330701": "doi:10.1145/3292500.3330701",
    "10.1101/2020.01.30.927871v2": "doi:10.1101/2020.01.30.927871",
    "https://www.biorxiv.org/content/10.1101/2020.01.30.927871v2.full.pdf": "doi:10.1101/2020.01.30.927871",
    "https://www.medrxiv.org/content/10.1101/2020.01.30.20019844v1": "doi:10.1101/2020.01.30.20019844",
    "https://www.biorxiv.org/content/10.64898/2026.07.13.738145v1.full-text": "doi:10.64898/2026.07.13.738145",
    "10.1101/gad.1234": "doi:10.1101/gad.1234",
    "https://openreview.net/forum?id=c1bTcrDmt4": "openreview:c1bTcrDmt4",
    "https://openreview.net/forum?id=c1bTcrDmt4&noteId=xyzxyz": "openreview:c1bTcrDmt4",
    "https://openreview.net/pdf?id=H1-oTz-Cb": "openreview:H1-oTz-Cb",
    "OpenReview:c1bTcrDmt4": "openreview:c1bTcrDmt4",
    "https://aclanthology.org/2021.acl-long.24/": "acl:2021.acl-long.24",
    "https://aclanthology.org/2021.acl-long.24v2.pdf": "acl:2021.acl-long.24",
    "https://www.aclweb.org/anthology/P19-1001": "acl:P19-1001",
    "acl:p19-1001": "acl:P19-1001",
    f"https://www.semanticscholar.org/paper/Some-Title/{SHA}": f"s2:{SHA}",
    SHA.upper(): f"s2:{SHA}",
    "https://api.semanticscholar.org/CorpusID:52967399": "corpusid:52967399",
    "https://pubmed.ncbi.nlm.nih.gov/31452104/": "pmid:31452104",
    "https://www.ncbi.nlm.nih.gov/pubmed/31452104": "pmid:31452104",
    "PMID: 31452104": "pmid:31452104",
    "nips2018:xyz": "nips2018:xyz",
    "3dv2025:05T81ScPFb": "3dv2025:05T81ScPFb",
    "local:0123456789abcdef": "local:0123456789abcdef",
}

UNKNOWN = [
    "",
    " ",
    "what is attention",
    "2013.4567",  # month 13
    "2504.0838",  # four digits after 2014
    "1404.12345",  # five digits before
    "hep-th/9913001",
    "nohow-ph/9901001",
    "12:30",
    "at:scale",
    "re:weighting",
    "https://example.org/abs/2504.08385",
    "https://arxiv.org/list/cs.CL/recent",
    "https://openreview.net/group?id=ICLR.cc",
    "https://notarxiv.org.evil.example/abs/2504.08385",
    "mailto:a@example.org",
    "javascript:alert(1)",
    "http://[broken",
    "10.1145/",
    "doi:",
    "arxiv:nonsense",
    "s2:short",
    "arxiv:2504.08385\x00",
    "10.1145/" + "a" * 400,
    "x" * 100_000,
    "https://" * 1000,
]


@pytest.mark.parametrize(("text", "wanted"), KNOWN.items())
def test_known_forms(text: str, wanted: str) -> None:
    assert normalise(text) == wanted
    assert normalise(f"  {text} ") == wanted
    assert normalise(wanted) == wanted


@pytest.mark.parametrize("text", UNKNOWN)
def test_anything_else_is_no_id(text: str) -> None:
    assert normalise(text) is None


@pytest.mark.parametrize("identifier", sorted(set(KNOWN.values())))
def test_a_link_leads_back_to_its_id(identifier: str) -> None:
    link = url_of(identifier)
    if link:
        assert normalise(link) == identifier
    else:
        assert identifier.startswith(("nips2018:", "3dv2025:", "local:"))


@given(
    st.one_of(
        st.text(max_size=60),
        st.from_regex(r"(?:https?://(?:www\.)?(?:doi|arxiv|openreview)\.(?:org|net)/)?[!-~]{0,40}", fullmatch=True),
        st.from_regex(r"(?:doi:|arXiv:|x1:)?10\.\d{4}/[!-~]{1,30}", fullmatch=True),
    )
)
def test_never_raises_and_is_stable(text: str) -> None:
    found = normalise(text)
    if found is not None:
        assert normalise(found) == found
        assert len(found) <= LONGEST_ID
        assert not any(character.isspace() or ord(character) < 32 for character in found)
        assert url_of(found) == "" or url_of(found).startswith("https://")
