/** One style sheet for all pages: light and dark, 320 px upwards, no outside font or image. */
export const STYLE = `:root { color-scheme: light dark;
  --ink: #1a1f27; --soft: #586170; --paper: #ffffff; --ground: #f5f6f8; --line: #dde1e7; --edge: #7b8594;
  --strong: #1a1f27; --on-strong: #ffffff; --link: #1f56c4; --good: #12703a; --good-ground: #e7f5ec;
  --bad: #a81d2c; --bad-ground: #fcecec; --wait: #5a5300; --wait-ground: #f6f2d8;
  --test: #6a4a00; --test-ground: #fff9ea; --test-line: #cfa74a; --lift: 0 1px 2px #1018280f, 0 4px 16px #1018280d; }
@media (prefers-color-scheme: dark) { :root {
  --ink: #e9edf2; --soft: #a7b0bd; --paper: #1a2028; --ground: #11151a; --line: #303944; --edge: #7f8a98;
  --strong: #eef2f6; --on-strong: #12161b; --link: #8ab4ff; --good: #7ddc9a; --good-ground: #12291b;
  --bad: #ff9ea6; --bad-ground: #351b1e; --wait: #e0d58a; --wait-ground: #2a2712;
  --test: #f2ce78; --test-ground: #1d1910; --test-line: #7a6427; --lift: none; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, p, dl, dd, ol, ul, fieldset, pre { margin: 0; padding: 0; } fieldset { border: 0; min-width: 0; } ol, ul { list-style: none; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; } h2 { font-size: 1.125rem; line-height: 1.3; } h3 { font-size: 1rem; }
a { color: var(--link); text-underline-offset: .15em; }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
[tabindex="-1"]:focus { outline: none; }
[hidden] { display: none !important; }
.soft { color: var(--soft); } .small { font-size: .875rem; } .num { font-variant-numeric: tabular-nums; }
.banner { padding: .4rem 1rem; background: var(--test-ground); color: var(--test); border-bottom: 1px solid var(--test-line); text-align: center; font-size: .875rem; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; box-shadow: var(--lift); min-width: 0; }
.stack { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); align-content: start; } .stack.tight { gap: .4rem; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; } .row.end { align-items: end; } .row.apart { justify-content: space-between; }
button, .button { font: inherit; font-weight: 500; line-height: 1.25; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--paper); color: var(--ink); cursor: pointer; text-decoration: none; display: inline-flex; align-items: center; justify-content: center; text-align: center; }
.button[aria-current] { border-color: var(--strong); font-weight: 600; }
button:hover, .button:hover { border-color: var(--ink); }
button.main, .button.main { font-weight: 600; background: var(--strong); border-color: var(--strong); color: var(--on-strong); }
button.main:hover, .button.main:hover { opacity: .9; }
button.small { min-height: 2rem; padding: .2rem .6rem; font-size: .875rem; }
button.quiet { min-height: 2.5rem; border-color: transparent; background: none; color: var(--soft); } button.quiet:hover { color: var(--ink); text-decoration: underline; }
button.full, .button.full { width: 100%; }
input[type=text], input[type=search], select, textarea { font: inherit; min-height: 2.75rem; padding: .4rem .6rem; width: 100%; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: .5rem; }
.field { display: grid; gap: .25rem; min-width: 0; } .field > span { font-size: .875rem; font-weight: 550; }
.notice { border-radius: .5rem; padding: .7rem .9rem; background: var(--wait-ground); color: var(--wait); }
.notice.bad { background: var(--bad-ground); color: var(--bad); } .notice.good { background: var(--good-ground); color: var(--good); }
.pill { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .8125rem; font-weight: 550; background: var(--wait-ground); color: var(--wait); white-space: nowrap; }
.pill.good { background: var(--good-ground); color: var(--good); } .pill.bad { background: var(--bad-ground); color: var(--bad); }
dl.facts { display: grid; grid-template-columns: minmax(0, 1fr); gap: .1rem; } dl.facts dt { color: var(--soft); font-size: .875rem; } dl.facts dd { margin-bottom: .5rem; }
@media (min-width: 30rem) { dl.facts { grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .45rem 1.25rem; } dl.facts dd { margin: 0; } dl.facts dt { font-size: 1rem; } }
pre { white-space: pre-wrap; padding: .75rem; border-radius: .5rem; background: var(--ground); border: 1px solid var(--line); line-height: 1.45; }
pre.scroll { max-height: 24rem; overflow: auto; }
details > summary { cursor: pointer; font-weight: 550; padding: .25rem 0; } details[open] > summary { margin-bottom: .5rem; }

.checkout { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 48rem) { .checkout { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 3rem; padding: 2rem 0 1rem; } }
.order { font-size: 1rem; font-weight: 550; color: var(--soft); letter-spacing: 0; }
input[aria-invalid] { border-color: var(--bad); } .problem { color: var(--bad); font-size: .875rem; margin-top: .25rem; }
.shop { font-weight: 650; } .method img { margin-inline-end: .5rem; vertical-align: -.3rem; border-radius: .25rem; } .method.off img { opacity: .5; }
.amount { font-size: 2.5rem; line-height: 1.15; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums; } .amount span { font-size: 1.25rem; font-weight: 550; color: var(--soft); letter-spacing: 0; }
legend { font-size: 1.125rem; font-weight: 650; padding: 0; margin-bottom: .75rem; }
.method { position: relative; display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .15rem .75rem; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .6rem; margin-bottom: .6rem; }
.method label { font-weight: 600; } .method label::after { content: ""; position: absolute; inset: 0; cursor: pointer; }
.method input { position: relative; z-index: 1; width: 1.15rem; height: 1.15rem; margin: .2rem 0 0; accent-color: var(--strong); } .method > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
.method p { grid-column: 2; } .method:hover { border-color: var(--edge); } .method:has(:checked) { border-color: var(--strong); box-shadow: 0 0 0 1px var(--strong); }
.method:has(:focus-visible) { outline: 3px solid var(--link); outline-offset: 2px; } .method input:focus-visible { outline: none; }
.method.off { background: var(--ground); color: var(--soft); } .method.off:hover { border-color: var(--line); } .method.off label::after { cursor: not-allowed; }
.result { display: flex; gap: .75rem; align-items: center; font-size: 1.25rem; font-weight: 650; line-height: 1.3; } .result svg { flex: none; } .result.good { color: var(--good); } .result.bad { color: var(--bad); }
.controls { border: 1px dashed var(--test-line); border-radius: .75rem; padding: 1.25rem; background: var(--test-ground); min-width: 0; } .controls h2 { color: var(--test); }
.grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); align-items: end; }
.pair { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); align-items: stretch; }
.joined { display: flex; gap: .5rem; } .joined input { min-width: 0; flex: 1; } .joined button { flex: none; }

nav.top { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; max-width: 72rem; margin: 0 auto; padding: 1rem 1rem 0; }
nav.top a { padding: .35rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; } nav.top a:hover { color: var(--ink); } nav.top a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--strong); }
main.wide { max-width: 72rem; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; } th, td { text-align: start; padding: .6rem .75rem; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: normal; } td bdi, td .any { overflow-wrap: anywhere; } td .any { display: inline-block; min-width: min(13rem, 100%); } th { font-size: .8125rem; color: var(--soft); font-weight: 550; } tbody tr:last-child td { border-bottom: 0; }
td form { display: inline-block; margin: 0 .25rem .25rem 0; } td .pill { margin-block: .1rem; }
@media (max-width: 47.99rem) { .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } .rows, .rows tbody, .rows tr, .rows td { display: block; } .rows tr { padding: .75rem 0; border-bottom: 1px solid var(--line); } .rows tr:last-child { border-bottom: 0; } .rows td { border: 0; padding: .15rem 0; } .rows td:empty { display: none; } .rows td { overflow-wrap: anywhere; }
  .rows td[data-label]:not(:empty)::before { content: attr(data-label) " "; color: var(--soft); font-size: .8125rem; } }
.line { border-inline-start: 2px solid var(--line); padding-inline-start: 1.1rem; display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); } .line > li { position: relative; } .line > li::before { content: ""; position: absolute; inset-inline-start: -1.5rem; top: .4rem; width: .7rem; height: .7rem; border-radius: 50%; background: var(--edge); border: 2px solid var(--paper); } .line > li.good::before { background: var(--good); } .line > li.bad::before { background: var(--bad); }
.point { display: grid; gap: .6rem; border-top: 1px solid var(--line); padding-top: 1rem; } .point:first-child { border: 0; padding: 0; } .point form { align-items: end; } .grow { flex: 1 1 12rem; }
.point:target { outline: 2px solid var(--link); outline-offset: .5rem; border-radius: .25rem; }
details.more > summary { color: var(--link); }
a.pill { text-decoration: none; } a.pill:hover { text-decoration: underline; }
a.assumed { text-decoration: underline dotted; color: inherit; }
@media (prefers-reduced-motion: no-preference) { button, .button, .method { transition: border-color .12s, box-shadow .12s, opacity .12s; } }
@media (forced-colors: active) { .method:has(:checked) { outline: 2px solid Highlight; } }
`;
