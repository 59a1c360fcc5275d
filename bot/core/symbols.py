"""Tables for LaTeX: what a command prints. Words are set apart by blanks, pairs by their first colon."""

from __future__ import annotations


def _pairs(text: str) -> dict[str, str]:
    return {name: value for name, _, value in (pair.partition(":") for pair in text.split())}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Operators that print their own name.
WORDS = _names("""
log ln exp min max sup inf lim limsup liminf arg det dim ker deg gcd sin cos tan cot sec csc sinh cosh tanh arcsin
arccos arctan Pr hom argmin argmax mod
""")
# Size, face and layout: they print nothing.
DROPPED = _names("""
left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr displaystyle textstyle scriptstyle limits nolimits bf
it em rm sf tt sc small large Large tiny normalsize footnotesize bfseries itshape ttfamily centering noindent xspace
relax mathstrut protect maketitle par newline smallskip medskip bigskip mathord mathbin mathrel item faGithub
""")
# Commands that print their argument in another face.
FONTS = _names("""
bm boldsymbol emph hbox mathbb mathbbm mathbf mathcal mathds mathfrak mathit mathrm mathscr mathsf mathtt mbox
ensuremath operatorname text textbf textit textnormal textrm textsc textsf texttt textup tsc underline
""")
SYMBOLS: dict[str, str] = {
    **{word: word for word in WORDS},
    **dict.fromkeys(DROPPED, ""),
    **_pairs("""
alpha:α beta:β gamma:γ delta:δ epsilon:ϵ varepsilon:ε zeta:ζ eta:η theta:θ vartheta:ϑ iota:ι kappa:κ lambda:λ mu:μ
nu:ν xi:ξ omicron:ο pi:π varpi:ϖ rho:ρ varrho:ϱ sigma:σ varsigma:ς tau:τ upsilon:υ phi:ϕ varphi:φ chi:χ psi:ψ
omega:ω Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Upsilon:Υ Phi:Φ Psi:Ψ Omega:Ω ell:ℓ hbar:ℏ Re:ℜ Im:ℑ
aleph:ℵ wp:℘ imath:ı jmath:ȷ times:× div:÷ pm:± mp:∓ cdot:· ast:∗ star:⋆ circ:∘ bullet:• oplus:⊕ otimes:⊗ odot:⊙
ominus:⊖ cap:∩ cup:∪ wedge:∧ land:∧ vee:∨ lor:∨ neg:¬ lnot:¬ setminus:∖ sqcup:⊔ sqcap:⊓ le:≤ leq:≤ leqslant:≤ ge:≥
geq:≥ geqslant:≥ ll:≪ gg:≫ ne:≠ neq:≠ equiv:≡ approx:≈ sim:∼ simeq:≃ cong:≅ asymp:≍ propto:∝ lesssim:≲ gtrsim:≳
prec:≺ succ:≻ preceq:⪯ succeq:⪰ in:∈ notin:∉ ni:∋ subset:⊂ supset:⊃ subseteq:⊆ supseteq:⊇ emptyset:∅ varnothing:∅
forall:∀ exists:∃ nexists:∄ infty:∞ partial:∂ nabla:∇ sum:∑ prod:∏ coprod:∐ int:∫ oint:∮ to:→ rightarrow:→
longrightarrow:→ leftarrow:← gets:← leftrightarrow:↔ Rightarrow:⇒ Longrightarrow:⇒ implies:⇒ Leftarrow:⇐
Leftrightarrow:⇔ iff:⇔ mapsto:↦ uparrow:↑ downarrow:↓ updownarrow:↕ nearrow:↗ searrow:↘ hookrightarrow:↪ top:⊤ bot:⊥
perp:⊥ parallel:∥ mid:∣ vert:| Vert:‖ lVert:‖ rVert:‖ lvert:| rvert:| langle:⟨ rangle:⟩ lceil:⌈ rceil:⌉ lfloor:⌊
rfloor:⌋ ldots:… cdots:⋯ dots:… vdots:⋮ ddots:⋱ dotsc:… dagger:† ddagger:‡ angle:∠ triangle:△ square:□ Box:□
checkmark:✓ vdash:⊢ models:⊨ therefore:∴ because:∵ prime:′ degree:° S:§ P:¶ copyright:© pounds:£ euro:€ ss:ß o:ø O:Ø
l:ł L:Ł ae:æ AE:Æ oe:œ OE:Œ aa:å AA:Å i:ı j:ȷ dh:ð DH:Ð th:þ TH:Þ textemdash:— textendash:– texttimes:×
textperthousand:‰ textdegree:° textmu:µ textbullet:• textasciitilde:∼ textasciicircum:ˆ textquoteright:’
textquoteleft:‘ textquotedblleft:“ textquotedblright:” textregistered:® texttrademark:™ textless:< textgreater:>
textunderscore:_ textellipsis:… textbar:| LaTeX:LaTeX TeX:TeX ie:i.e. eg:e.g. etc:etc.
"""),
    "colon": ":",
    "quad": " ",
    "qquad": " ",
    "backslash": "∖",
    "textbackslash": "∖",
    "etal": "et al.",
}
# Combining characters, by their code, that an accent puts on its letter.
ACCENTS = {
    name: chr(int(code[1:], 16))
    for name, code in _pairs("""
`:u0300 ':u0301 ^:u0302 ~:u0303 =:u0304 .:u0307 ":u0308 u:u0306 r:u030a H:u030b v:u030c d:u0323 c:u0327 k:u0328
b:u0331 hat:u0302 widehat:u0302 tilde:u0303 widetilde:u0303 bar:u0304 overline:u0304 dot:u0307 ddot:u0308 vec:u20d7
check:u030c breve:u0306 acute:u0301 grave:u0300
""").items()
}
BLACKBOARD = _pairs("C:ℂ H:ℍ N:ℕ P:ℙ Q:ℚ R:ℝ Z:ℤ E:𝔼 1:𝟙")
RAISED = str.maketrans("0123456789+-=()niTabcdefghjklmoprstuvwxyz−∗′*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁻*′*")
LOWERED = str.maketrans("0123456789+-=()aehijklmnoprstuvx−", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₋")
