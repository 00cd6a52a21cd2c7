"""From measured rows to the README's table and the plots beside it."""

import math
import re
from pathlib import Path
from typing import Any

MARKS = re.compile(r"(<!-- benchmarks -->\n).*?(<!-- end of benchmarks -->)", re.DOTALL)
COLOURS = {
    "gitglass": "#1b6ca8",
    "gitglass warm": "#7fb7dc",
    "pygit2": "#c46a1b",
    "dulwich": "#5a8f3d",
    "GitPython": "#8a5a9e",
}


def table(rows: list[dict[str, Any]], versions: dict[str, str]) -> str:
    """A Markdown table: one line a question and repository, ratios to a `git` subprocess; bold wins over it."""
    tools = [figure["tool"] for figure in max(rows, key=lambda row: len(row["figures"]))["figures"]]
    head = ["question", "repository", "`git`", "of which git's own", *tools]
    out = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in rows:
        by_tool = {figure["tool"]: figure for figure in row["figures"]}
        cells = [row["question"], row["repo"], f"{row['git_milliseconds']:.1f} ms", f"{100 * row['own']:.0f} %"]
        cells += [cell(by_tool.get(tool)) for tool in tools]
        out.append("| " + " | ".join(cells) + " |")
    for family in dict.fromkeys(row["family"] for row in rows):
        cells = [f"*{family}, geometric mean*", "", "", ""]
        cells += [mean(rows, family, tool) for tool in tools]
        out.append("| " + " | ".join(cells) + " |")
    said = ", ".join(f"{name} {version}" for name, version in versions.items())
    return "\n".join(out) + f"\n\nVersions: {said}."


def cell(figure: dict[str, Any] | None) -> str:
    """`×0.31 (24 MB)`; a dash where the tool has no such call, and what was wrong where something was."""
    if figure is None:
        return "–"
    if figure["ratio"] is None or (figure["trouble"] and ":" in figure["trouble"]):
        return figure["trouble"].split(":")[0]
    size = f" ({figure['megabytes']:.0f} MB)" if figure["megabytes"] else ""
    wrong = " ≠" if figure["trouble"] else ""
    ratio = f"×{figure['ratio']:.2f}"
    return (f"**{ratio}**" if figure["ratio"] < 1 and not wrong else ratio) + wrong + size


def mean(rows: list[dict[str, Any]], family: str, tool: str) -> str:
    """The geometric mean of a tool's ratios in a family; a dash unless it answered every question, rightly."""
    figures = [f for row in rows if row["family"] == family for f in row["figures"] if f["tool"] == tool]
    asked = sum(row["family"] == family for row in rows)
    if len(figures) < asked or any(f["ratio"] is None or f["trouble"] for f in figures):
        return "–"
    return f"×{math.exp(sum(math.log(max(f['ratio'], 1e-6)) for f in figures) / asked):.2f}"


def write_table(readme: Path, text: str) -> None:
    """Put the table between its marks in a file."""
    before = readme.read_text()
    if not MARKS.search(before):
        raise SystemExit(f"{readme} has no <!-- benchmarks --> marks")
    readme.write_text(MARKS.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", before))


def plot(rows: list[dict[str, Any]], family: str, target: Path) -> None:
    """One picture a family: a bar for each tool and question, on a logarithmic scale; 1 is a `git` subprocess."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "gitglass"  # the same figures make the same file
    from matplotlib import pyplot

    chosen = [row for row in rows if row["family"] == family]
    names = [f"{row['question']} ({row['repo']})" for row in chosen]
    tools = list(dict.fromkeys(f["tool"] for row in chosen for f in row["figures"]))
    figure, axes = pyplot.subplots(figsize=(9, 0.5 + 0.16 * len(names) * (len(tools) + 1)))
    for at, tool in enumerate(tools):
        spots, values = [], []
        for number, row in enumerate(chosen):
            for one in row["figures"]:
                if one["tool"] == tool and one["ratio"] is not None and ":" not in one["trouble"]:
                    spots.append(number * (len(tools) + 1) + at)
                    values.append(one["ratio"])
        axes.barh(spots, values, height=0.9, label=tool, color=COLOURS.get(tool))
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks([n * (len(tools) + 1) + (len(tools) - 1) / 2 for n in range(len(names))], names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("time, as a multiple of a `git` subprocess (less is faster)")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})
    pyplot.close(figure)
