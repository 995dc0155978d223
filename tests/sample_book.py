"""A small staged book about six teas that uses every construct the book may use."""

import base64
import json
import struct
import zlib
from pathlib import Path

CONFIG = """\
project:
  type: book
book:
  title: "Six Teas & <Twelve> Tasters"
  subtitle: "A sample that uses every construct"
  author: ["A. Taster", {name: "B. Brewer"}]
  date: "2020-02-02"
  output-file: book
  downloads: [pdf]
  chapters:
    - index.qmd
    - part: "The tasting"
      chapters: [tea-01-tables.ipynb, tea-02-models.ipynb]
  appendices: [tea-90-notes.qmd]
bibliography: references.bib
execute: {enabled: false}
format:
  html: {code-fold: true, html-math-method: mathml}
  typst: {echo: false}
"""

REFERENCES = """\
@article{friedman1937, author = {Friedman, Milton},
  title = {The Use of Ranks to Avoid the Assumption of Normality Implicit in the Analysis of
    Variance},
  journal = {Journal of the American Statistical Association}, year = {1937}, volume = {32},
  number = {200}, pages = {675--701}}
@book{cohen1988, author = {Cohen, Jacob},
  title = {Statistical Power Analysis for the Behavioral Sciences}, edition = {2}, year = {1988},
  publisher = {Lawrence Erlbaum Associates}}
"""

INDEX = """\
# What was tasted {.unnumbered}

Twelve tasters ranked six teas. The ranks are in @tbl-ranks, the picture in @fig-liking, and the
model in @eq-model. How the scores were made is told in @sec-notes. See also
[the models](tea-02-models.ipynb) and [how often they agreed](tea-02-models.ipynb#summary), or take
[the raw data](data/teas.csv).

{{< include _ledger.qmd >}}

::: {.callout-note}
Everything here is invented, apart from the references [@friedman1937; see also @cohen1988, ch. 2].
:::
"""

LEDGER = """\
## Findings {#findings}

::: {.ledger-files}
Each finding leads to its table.
:::

::: {.ledger study="Tasting" decision="3" direction="4"}
| Finding | p | Decision | Direction | Where |
|:-------------------------------------------------|:------|:-----------|:--------|:----------|
| **T1** Tasters agree on the best tea only | .050 | supported | agrees | @tbl-ranks |
| **T2** Brewing time makes no difference | .200 | not supported | differs | @tbl-wide |
| **T10** The smoky tea is liked least | < .001 | supported | agrees | @fig-liking |

: Findings {#tbl-findings}
:::
"""

NOTES = """\
# Notes on method {#sec-notes}

## Summary

Scores run from 1 to 5.[^scale] Water was at 80 °C; see @tbl-html for what each tea cost.

[^scale]: Half points were allowed, but nobody gave one.

- A list
- of two things

> A quotation of nobody.

```bash
make tea   # {{< this stays >}}
```

```python
tea = brew("Sencha", minutes=3)
```

```markdown
*Sencha*
```

```yaml
tea: Sencha
```

```json
{"tea": "Sencha"}
```

::: {.callout-caution}
Hot.
:::

::: {.content-hidden unless-format="html"}
[Shown in any case, ]{.content-hidden when-format="typst"}on the screen.
:::
"""

RANKS = """\
| Tea | Mean rank | SD | 95 % interval |
|---|---|---|---|
| Sencha | 2.08 | 1.16 | [1.34, 2.82] |
| Assam | 3.25 | 1.71 | [2.16, 4.34] |
| Lapsang | 5.50 | −.67 | [5.07, 5.93] |
"""

WIDE = """\
| Tea | z | p | χ² | df | W | m | d | τ | Comment of the tasters who had to write one |
|---|--:|--:|--:|--:|--:|--:|--:|--:|---|
""" + "".join(
    f"| Tea number {i} | {i}.25 | < .001 | {i}2.4 | 5 | .{i}1 | 12 | 0.{i}3 | .4{i} | none |\n"
    for i in range(1, 60)
)

LONG = """\
| Where | What is printed | What follows from it | Class | Explanation |
|:-----------|:------------|:------------|:-----------|:------------------------------------------|
""" + "".join(
    f"| Table {i}, row {i} | z = 3.{i}1 | p between .001 and .002 | inconsistent | The estimate "
    "divided by its standard error is larger than the z that is printed, by more than rounding "
    "could explain; this says nothing about which of the three figures is mistaken. |\n"
    for i in range(1, 9)
)

PANDAS = """\
<div><style scoped>.dataframe th {color: red}</style>
<table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th><th>tea</th>
<th>price</th></tr></thead><tbody><tr><th>0</th><td>Sencha &amp; co</td><td>12.50</td></tr>
<tr><th>1</th><td>Assam</td><td>8.00</td></tr></tbody></table></div>
"""


SMALL_PRINT = """\
::: {.provenance style="font-size: 0.8em"}
[[teas.csv](data/teas.csv) ·]{.content-visible when-format="html"} Chapter key `0123456789ab`
:::
"""


def svg() -> str:
    """Return a small dot plot."""
    dots = "".join(
        f'<circle cx="{80 + 70 * i}" cy="{220 - 30 * i}" r="6" fill="#1b5e8c"/>'
        f'<text x="{62 + 70 * i}" y="265" font-size="13">Tea {i + 1}</text>'
        for i in range(6)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="520" height="280" viewBox="0 0 520 280">'
        '<rect width="520" height="280" fill="white"/>'
        f'<path d="M50 10V245H510" fill="none" stroke="#333"/>{dots}</svg>'
    )


def png(width: int = 640, height: int = 240) -> str:
    """Return a picture of two grey halves, in base64."""
    row = b"\0" + b"\xaa" * (width // 2) + b"\x55" * (width - width // 2)

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    content = zlib.compress(row * height)
    return base64.b64encode(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", content)
        + chunk(b"IEND", b"")
    ).decode()


def markdown(text: str) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code(source: str, *outputs: dict, tags: tuple[str, ...] = ()) -> dict:
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags)} if tags else {},
        "source": source,
        "execution_count": 1,
        "outputs": list(outputs),
    }


def shows(**forms: str) -> dict:
    """Return a display output; `text_html="…"` stands for the type text/html."""
    names = {"markdown": "text/markdown", "html": "text/html", "plain": "text/plain"}
    names |= {"svg": "image/svg+xml", "png": "image/png"}
    data = {names[form]: text for form, text in forms.items()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def says(text: str, name: str = "stdout") -> dict:
    return {"output_type": "stream", "name": name, "text": text}


TABLES = [
    markdown("# Tables of all kinds {#sec-tables}\n\nHere, @tbl-ranks and @tbl-html."),
    code("rounds: int = 3  # tastings", tags=("parameters",)),
    code("rounds = 3", tags=("injected-parameters", "remove-cell")),
    code(
        """\
#| label: tbl-ranks
#| tbl-cap: Mean ranks of *three* teas
show(ranks)""",
        shows(markdown=RANKS),
    ),
    markdown(SMALL_PRINT),
    markdown("## Summary\n\nProse with a number from a cell:"),
    code(
        "#| output: asis\n#| echo: false\nsay()",
        shows(markdown="The best tea had a mean rank of **2.08**, *p* < .001 [@friedman1937]."),
    ),
    code(
        """\
#| label: tbl-html
#| tbl-cap: Prices, as pandas prints them
prices""",
        shows(html=PANDAS, plain="tea"),
    ),
    code(
        """\
#| label: tbl-wide
#| tbl-cap: Ten columns and fifty-nine rows
wide""",
        shows(markdown=WIDE),
    ),
    code(
        """\
#| label: tbl-long
#| tbl-cap: Long text in columns of given width
long""",
        shows(markdown=LONG),
    ),
    markdown("""\
| Typed | By hand |
|---|---|
| one | two |

: A table typed into the text {#tbl-typed}

| No | Caption |
|---|---|
| 1,204 | 12 % |
"""),
    code("#| column: margin\n#| include: true\nx", shows(markdown="In the margin, from a cell.")),
    code(
        "#| layout-ncol: 2\n#| warning: false\n#| code-summary: Both\nx",
        shows(markdown="On the left."),
        shows(markdown="On the right."),
    ),
    code(
        "#| code-fold: show\nprint('plain')",
        says("plain \x1b[31mtext\x1b[0m\n"),
        says("careful\n", "stderr"),
    ),
]

MODELS = [
    markdown("---\ntitle: Models & pictures\n---"),
    markdown("""\
The model [-@eq-model], told in @sec-tables:

$$ y_{ij} = \\mu + \\tau_i + \\varepsilon_{ij}, \\qquad W = \\frac{\\chi^2}{m(k-1)} $$ {#eq-model}

and inline, $W = .32$.
"""),
    code(
        """\
#| label: fig-liking
#| fig-cap: Liking by tea
#| fig-alt: Six dots that rise from left to right
plot()""",
        shows(svg=svg(), plain="<Figure size 640x480>"),
    ),
    markdown(SMALL_PRINT),
    markdown("""\
## Summary

The same heading as before. [Fig. @fig-liking] and [@fig-liking; @fig-halves].

### Detail
"""),
    code(
        """\
#| label: fig-halves
#| fig-cap: 'Two halves, at half width'
#| fig-alt: A light and a dark half
halves()""",
        shows(png=png()) | {"metadata": {"image/png": {"width": 320}}},
    ),
    markdown("""\
::: {.callout-warning title="Careful" collapse="true"}
Folded warning with `code`.
:::

::: {.callout-tip}
## A tip with a title

- one
- two
:::

::: {.callout-important}
Important.
:::

::: {.panel-tabset}
## First

In the first tab.

## Second

In the second tab.
"""),
    code(
        "#| echo: false\n#| label: tbl-tab\n#| tbl-cap: Inside a tab\nx",
        shows(markdown=RANKS),
    ),
    markdown("""\
:::

::: {.column-margin}
A note in the margin.
:::

![A pasted picture](attachment:pasted.png){#fig-pasted fig-alt="Two grey halves, pasted"}

::: {.content-visible when-format="html"}
Only on the screen.
:::

::: {.content-visible when-format="typst"}
Only on paper.
:::

::: {#fig-pair layout-ncol="2"}
![](images/left.svg){fig-alt="Dots"}

![](images/left.svg){fig-alt="Dots again"}

A pair
:::

{{< pagebreak >}}

The end, and [another site](https://example.org/).
""")
    | {"attachments": {"pasted.png": {"image/png": png(200, 80)}}},
]


def write(folder: Path) -> Path:
    """Write the sample book to `folder` and return it."""
    texts = {
        "_quarto.yml": CONFIG,
        "references.bib": REFERENCES,
        "index.qmd": INDEX,
        "_ledger.qmd": LEDGER,
        "tea-90-notes.qmd": NOTES,
        "data/teas.csv": "tea,rank\nSencha,1\n",
        "images/left.svg": svg(),
        "tea-01-tables.ipynb": notebook(TABLES),
        "tea-02-models.ipynb": notebook(MODELS),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def notebook(cells: list[dict]) -> str:
    """Return the JSON text of a notebook with these cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )
