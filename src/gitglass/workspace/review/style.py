"""The style of the page, light and dark: one style sheet, and its colours as data.

Every pair of colours of text and ground has a contrast of at least 4.5 (WCAG 2.2, 1.4.3 at level AA).
"""

from __future__ import annotations

#: the colours by name, as (light, dark)
COLOURS = {
    "ground": ("#ffffff", "#0d1117"), "card": ("#f6f8fa", "#161b22"), "text": ("#1f2328", "#e6edf3"),
    "soft": ("#57606a", "#9ea7b3"), "line": ("#d0d7de", "#30363d"), "accent": ("#0550ae", "#6cb6ff"),
    "add": ("#e6ffec", "#10281c"), "addmore": ("#abf2bc", "#1c6137"), "addword": ("#0a5a24", "#7ee2a0"),
    "gone": ("#ffeef0", "#321a1f"), "gonemore": ("#ffc9cf", "#7a2631"), "goneword": ("#9a1023", "#ffb3b8"),
    "head": ("#eaf4ff", "#131f33"), "warn": ("#7d4e00", "#e3b341"), "warnground": ("#fff4d6", "#2b2111"),
}  # fmt: skip

#: (text, ground): the pairs of colours that are used for text
READ = [
    ("text", "ground"), ("text", "card"), ("soft", "ground"), ("soft", "card"), ("accent", "ground"),
    ("accent", "card"), ("text", "add"), ("text", "addmore"), ("soft", "add"), ("addword", "add"),
    ("addword", "ground"), ("addword", "card"), ("text", "gone"), ("text", "gonemore"), ("soft", "gone"),
    ("goneword", "gone"), ("goneword", "ground"), ("goneword", "card"), ("soft", "head"), ("addword", "head"),
    ("goneword", "head"), ("text", "head"), ("warn", "ground"), ("warn", "card"), ("warn", "warnground"),
    ("text", "warnground"),
]  # fmt: skip

_RULES = """
*{box-sizing:border-box}
html{scroll-padding-top:3.5rem}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
code,pre,.lines{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
code{font-size:.875em;overflow-wrap:anywhere}
header,.body,footer{max-width:96rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:2rem}
.skip{position:absolute;left:-100vw;padding:.4rem .8rem;background:var(--card)}
.skip:focus{left:1rem;top:.5rem;z-index:2}
.eyebrow{margin:0;color:var(--soft);font-size:.8rem;letter-spacing:.06em;text-transform:uppercase}
h1{margin:.15rem 0 .6rem;font-size:1.7rem;line-height:1.25;overflow-wrap:anywhere}
h1 .to{color:var(--soft);font-weight:400}
h2{margin:0;font-size:1.2rem;line-height:1.35;overflow-wrap:anywhere}
.chips{display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 1rem;padding:0;list-style:none;font-size:.85rem}
.chip{border:1px solid var(--line);border-radius:1em;padding:.05em .7em;white-space:nowrap}
.chip.warn{border-color:currentColor;background:var(--warnground)}
.warn{color:var(--warn)}.plus,.accept{color:var(--addword)}.minus,.reject{color:var(--goneword)}.part{color:var(--warn)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.15rem 1rem;margin:0 0 1rem;font-size:.95rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.verdict{border:1px solid var(--line);border-left:4px solid var(--addword);border-radius:6px;padding:.6rem 1rem;
margin:0 0 1.25rem;background:var(--card)}
.verdict.reject{border-left-color:var(--goneword);color:inherit}.verdict.part{border-left-color:var(--warn);color:inherit}
.verdict a{text-decoration:underline}.verdict p{margin:0}.verdict ul{margin:.35rem 0 0;padding-left:1.2rem}
q{overflow-wrap:anywhere}
.body{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem;align-items:start}
nav{font-size:.9rem;border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem;background:var(--card)}
nav h2{font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin-bottom:.35rem}
nav h3{margin:.6rem 0 .15rem;font-size:.9rem;overflow-wrap:anywhere}
nav ol{list-style:none;margin:0;padding:0}
nav li{display:flex;align-items:baseline;gap:.5rem;padding-left:calc(var(--deep,0)*1rem);line-height:1.4}
nav li>:first-child{flex:1;min-width:0;padding:.15rem 0;overflow-wrap:anywhere}
nav .count{white-space:nowrap;font-variant-numeric:tabular-nums;font-size:.85em;color:var(--soft)}
nav{max-height:60vh;overflow:auto}
@media(min-width:68rem){.body{grid-template-columns:19rem minmax(0,1fr)}
nav{position:sticky;top:1rem;max-height:calc(100vh - 2rem)}}
section{margin-bottom:2.25rem}
.by{margin:.1rem 0 .5rem;color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
.by code{display:block}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0 0;padding:.7rem 1rem;background:var(--card);
border-radius:6px;font-size:.85rem;line-height:1.5}
details{border:1px solid var(--line);border-radius:8px;margin:.9rem 0 0;overflow:clip}
.text{content-visibility:auto;contain-intrinsic-size:auto calc(var(--rows)*18.75px)}
summary{display:flex;flex-wrap:wrap;align-items:baseline;gap:.15rem .75rem;padding:.5rem .9rem;background:var(--card);
cursor:pointer;position:sticky;top:0;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"▸"/"";color:var(--soft);width:.8em}details[open]>summary::before{content:"▾"/""}
details[open]>summary{border-bottom:1px solid var(--line)}
summary h3{margin:0;max-width:calc(100% - 2.2em);font-size:1rem;font-weight:600;overflow-wrap:anywhere}
summary .note{color:var(--soft);font-size:.85rem}
summary .state{margin-left:auto;font-size:.85rem;font-weight:600}
.none,.remark{padding:.6rem .9rem;font-size:.9rem}.none{color:var(--soft)}
.remark{border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.lines{border-collapse:collapse;width:100%;font-size:12.5px;line-height:1.5;tab-size:4}
.lines td{padding:0 .5rem;vertical-align:top}
.lines .n{width:1%;min-width:3.2em;text-align:right;color:var(--soft);user-select:none;white-space:nowrap;
font-variant-numeric:tabular-nums}
.lines .s{width:1.6em;padding:0 0 0 .6em;user-select:none;border-left:1px solid var(--line)}
.lines .w{padding-left:0;white-space:pre-wrap;overflow-wrap:anywhere}
.a .s::before{content:""/"added"}.d .s::before{content:""/"removed"}
.a td{background:var(--add)}.a .s{color:var(--addword)}.a mark{background:var(--addmore);color:inherit}
.d td{background:var(--gone)}.d .s{color:var(--goneword)}.d mark{background:var(--gonemore);color:inherit}
mark{border-radius:2px}.w i{color:var(--soft);font-style:normal}
.h td{background:var(--head);color:var(--soft);padding:.2rem .5rem;border-top:1px solid var(--line);
border-bottom:1px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere}
.lines tr:first-child td{border-top:0}
.h .state{font-weight:600}.h .words{color:var(--text);font-family:system-ui,sans-serif;font-size:13.5px}
:target>summary,:target>td{box-shadow:inset 3px 0 0 var(--accent)}
footer{padding-top:1rem;padding-bottom:3rem;color:var(--soft);font-size:.85rem}
@media(max-width:40rem){header,.body,footer{padding-left:.75rem;padding-right:.75rem}
.lines .n{min-width:2.4em;padding:0 .25rem}}
@media print{@page{margin:14mm}body{font-size:11pt}header,.body,footer{max-width:none;padding:0}
.body{display:block}nav,summary{position:static;max-height:none}nav{margin-bottom:1rem;break-inside:avoid}
details{break-inside:auto}.text{content-visibility:visible}details::details-content{content-visibility:visible;display:block;height:auto}
summary,h2,.by{break-after:avoid}.lines tr,.verdict{break-inside:avoid}.lines{font-size:8.5pt}
.a td,.d td,.h td,mark,.chip,.verdict{print-color-adjust:exact;-webkit-print-color-adjust:exact}a{color:inherit}}
@media(forced-colors:active){mark{text-decoration:underline}}
"""


def _of(side: int) -> str:
    return ";".join(f"--{name}:{pair[side]}" for name, pair in COLOURS.items())


#: the style sheet; on paper the page is light
STYLE = (
    f":root{{color-scheme:light dark;{_of(0)}}}\n"
    f"@media screen and (prefers-color-scheme:dark){{:root{{{_of(1)}}}}}" + _RULES.replace("\n", "")
)
