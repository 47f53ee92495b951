"""Colours and type of the page."""

from __future__ import annotations

COLOURS = ("#2563a8", "#c2571a", "#2e7d4f", "#8a3fa0", "#a8862a", "#b0304f")
"""One a policy, told apart on light and dark paper; the seventh is the first again."""

CSS = """
:root { --ink: #1c2126; --faint: #6a737c; --line: #d5dade; --paper: #ffffff; --soft: #f3f5f7;
  --bad: #b3261e; --good: #2e7d4f; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8eb; --faint: #99a3ac; --line: #3a4249;
  --paper: #15191c; --soft: #1f2529; --bad: #ff8a80; --good: #7fd1a0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1.5rem 1.2rem 4rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .3rem; padding-top: .5rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .3rem 0 .7rem; max-width: 50rem; }
.faint, caption, .note { color: var(--faint); }
.mode { display: inline-block; padding: .1rem .55rem; border: 1px solid var(--line);
  border-radius: 1rem; background: var(--soft); font-size: .85rem; }
.flag { color: var(--bad); font-weight: 600; }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; }
.tile { flex: 1 1 8rem; padding: .6rem .8rem; background: var(--soft); border-radius: .5rem; }
.tile b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tile span { color: var(--faint); font-size: .85rem; }
.side { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
.side > * { flex: 1 1 20rem; min-width: 0; }
.side > :last-child { flex-grow: 1.6; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .45rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th { font-weight: 600; color: var(--faint); vertical-align: bottom; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
td.text.long { white-space: normal; overflow-wrap: anywhere; }
tr.off td, td.off { color: var(--bad); }
svg { max-width: 100%; height: auto; }
td svg { max-width: none; vertical-align: middle; }
svg text { fill: currentColor; font: 11px system-ui, sans-serif; }
svg .faint { fill: var(--faint); }
.key { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem;
  vertical-align: -.08rem; margin-right: .35rem; }
code { font: .85em ui-monospace, "SF Mono", Menlo, monospace; overflow-wrap: anywhere; }
pre { padding: .6rem .8rem; background: var(--soft); border-radius: .4rem; overflow-x: auto;
  font: .82rem ui-monospace, Menlo, monospace; }
@media print { body { max-width: none; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
"""
