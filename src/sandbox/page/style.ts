/** One style sheet for all pages: light and dark, 320 px upwards, no outside font or image. */
export const STYLE = `:root { color-scheme: light dark;
  --ink: #1a1f36; --soft: #596275; --paper: #ffffff; --ground: #f6f7f9; --line: #e4e8ee; --edge: #868fa0; --sunk: #f6f7f9;
  --accent: #5046e4; --accent-strong: #4338ca; --on-accent: #ffffff; --link: #4a40d4;
  --good: #0a6637; --good-ground: #e2f5ea; --warn: #8a4700; --warn-ground: #fdefd3; --wait: #1f4fb4; --wait-ground: #e5eefd;
  --off: #4c5567; --off-ground: #ecEFf3; --bad: #ab1a30; --bad-ground: #fde8ea;
  --test: #8a4700; --test-line: #dba14e; --lift: 0 1px 1px #1018280a, 0 2px 6px #1018280d; --float: 0 8px 30px #10182833; }
@media (prefers-color-scheme: dark) { :root {
  --ink: #e7eaf0; --soft: #a1aabb; --paper: #171b24; --ground: #0f1218; --line: #2a303d; --edge: #717c8f; --sunk: #11151c;
  --accent: #635bff; --accent-strong: #554de8; --on-accent: #ffffff; --link: #a9a4ff;
  --good: #7fdca4; --good-ground: #10301f; --warn: #f4c878; --warn-ground: #352610; --wait: #9dbeff; --wait-ground: #16264a;
  --off: #b4bdcb; --off-ground: #252b36; --bad: #ff9ea8; --bad-ground: #3a1a20;
  --test: #f4c878; --test-line: #86641f; --lift: none; --float: 0 8px 30px #000000aa; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; -webkit-font-smoothing: antialiased;
  font: .875rem/1.5 Inter, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1, h2, h3, p, dl, dd, ol, ul, fieldset, pre { margin: 0; padding: 0; }
fieldset { border: 0; min-width: 0; } ol, ul { list-style: none; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; }
h2 { font-size: 1rem; line-height: 1.4; font-weight: 600; letter-spacing: -.005em; } h3 { font-size: .875rem; font-weight: 600; }
strong { font-weight: 600; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; text-underline-offset: .15em; }
p a, li a { text-decoration: underline; text-underline-offset: .15em; text-decoration-color: color-mix(in srgb, currentColor 40%, transparent); }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .8125rem; letter-spacing: -.01em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .25rem; } [tabindex="-1"]:focus { outline: none; }
[hidden] { display: none !important; }
.soft { color: var(--soft); } .small { font-size: .8125rem; } .num, time, .money, td.number { font-variant-numeric: tabular-nums; }
time, .money { white-space: nowrap; } .grow { flex: 1 1 14rem; }

/* Frame */
.banner { padding: .3rem 1rem; border-top: 3px solid var(--test-line); color: var(--test); text-align: center; font-size: .8125rem; }
.banner strong { font-size: .6875rem; letter-spacing: .06em; padding: .1rem .4rem; margin-inline-end: .35rem; border-radius: .25rem; background: var(--warn-ground); }
.skip { position: absolute; inset-inline-start: -99rem; } .skip:focus { inset-inline-start: 1rem; z-index: 3; padding: .5rem; background: var(--paper); }
main { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); align-content: start; }
.checkout main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
.dashboard { display: grid; min-height: 100vh; grid-template: "banner" auto "side" auto "bar" auto "main" 1fr / minmax(0, 1fr); }
.dashboard .banner { grid-area: banner; } .side { grid-area: side; } .bar { grid-area: bar; } .dashboard main { grid-area: main; padding: 1rem 1rem 4rem; }
.side { display: flex; flex-wrap: wrap; gap: .1rem .2rem; padding: .25rem .5rem; border-bottom: 1px solid var(--line); align-items: start; }
.brand { display: none; font-weight: 650; letter-spacing: -.01em; }
.side a, .side summary { display: block; padding: .35rem .5rem; border-radius: .375rem; color: var(--soft); font-weight: 500; }
.side a:hover, .side summary:hover { color: var(--ink); text-decoration: none; } .side a[aria-current] { color: var(--link); font-weight: 600; }
.bar { display: flex; flex-wrap: wrap; gap: .5rem; justify-content: space-between; align-items: center; padding: .75rem 1rem 0; }
.bar > div { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; }
.side summary, .menu > summary { list-style: none; } .side summary::-webkit-details-marker { display: none; } .side summary::after, .menu > summary::after { content: ""; display: inline-block; width: .35rem; height: .35rem; margin: 0 .15rem .2rem .45rem; border: solid var(--soft); border-width: 0 1.5px 1.5px 0; transform: rotate(45deg); vertical-align: middle; }
.menu { position: relative; } .menu > summary { display: flex; flex-wrap: wrap; gap: .1rem .5rem; align-items: center; min-height: 2.25rem; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--paper); font-weight: 400; }
.menu > summary::-webkit-details-marker { display: none; } .menu > summary:hover, .menu[open] > summary { border-color: var(--edge); }
.sheet { position: absolute; z-index: 2; inset-block-start: calc(100% + .4rem); inset-inline-start: 0; width: min(22rem, calc(100vw - 2rem)); padding: 1rem; display: grid; gap: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); box-shadow: var(--float); }
@media (max-width: 59.99rem) { .bar > div { display: contents; } .side details[open] { flex-basis: 100%; } .side details a { display: inline-block; } }
.sheet .row button { padding: .35rem .55rem; }
@media (min-width: 60rem) {
  .dashboard { grid-template: "banner banner" auto "side bar" auto "side main" 1fr / 13.5rem minmax(0, 1fr); }
  .side { flex-direction: column; flex-wrap: nowrap; gap: .1rem; padding: 1.1rem .75rem; border: 0; border-inline-end: 1px solid var(--line); align-items: stretch; }
  .brand { display: block; padding: 0 .6rem .9rem; font-size: .9375rem; }
  .side a, .side summary { padding: .4rem .6rem; } .side a[aria-current] { background: var(--off-ground); } .side details { margin-top: .5rem; } .side details a { padding-inline-start: 1.5rem; }
  .bar { padding: 1rem 2rem 0; } .dashboard main { padding: 1.25rem 2rem 4rem; max-width: 82rem; } }
.title { display: flex; flex-wrap: wrap; gap: .75rem 1rem; justify-content: space-between; align-items: center; } .title h1 { min-width: 0; } .title .tag { vertical-align: .2em; } .title .mono { font-size: 1.25rem; letter-spacing: -.02em; }

/* Boxes */
.card, .controls { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); align-content: start; min-width: 0; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: 1.25rem; box-shadow: var(--lift); }
.card.flush { padding: .25rem 1.25rem; } .card.narrow { max-width: 44rem; }
.head { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; align-items: baseline; }
.stack { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); align-content: start; } .card .stack, form.stack { gap: 1rem; } .stack:empty { display: none; }
.split { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
@media (min-width: 75rem) { .split { grid-template-columns: minmax(0, 2fr) minmax(22rem, 1fr); } }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; } .row.apart { justify-content: space-between; align-items: start; }
.grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); align-items: start; } .grid.buttons { grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); } .grid.buttons p { margin-top: .25rem; } .split .buttons { gap: .6rem; } .split .buttons div { display: flex; flex-wrap: wrap; gap: 0 .5rem; align-items: center; } .split .buttons p { margin: 0; } .split .buttons button { min-height: 1.75rem; padding: .15rem .55rem; font-size: .8125rem; } .grid.short { max-width: 32rem; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); }
.nothing { text-align: center; padding: 1.5rem 1rem; } .card.nothing { padding: 3rem 1rem; justify-items: center; }
.good { --tone: var(--good); --tone-ground: var(--good-ground); } .warn { --tone: var(--warn); --tone-ground: var(--warn-ground); } .bad { --tone: var(--bad); --tone-ground: var(--bad-ground); }
.wait { --tone: var(--wait); --tone-ground: var(--wait-ground); } .off { --tone: var(--off); --tone-ground: var(--off-ground); }
.notice, .tag { background: var(--tone-ground); color: var(--tone); } .notice { border-radius: .375rem; padding: .65rem .85rem; }
.tag { display: inline-block; padding: .05rem .45rem; border-radius: .25rem; font-size: .75rem; line-height: 1.5; font-weight: 600; letter-spacing: 0; white-space: nowrap; font-family: Inter, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.items { display: grid; } .items > li { padding: .7rem 0; border-top: 1px solid var(--line); } .items > li:first-child { border: 0; padding-top: 0; } .items > li:last-child { padding-bottom: 0; } .faults { display: grid; gap: .4rem; }
dl.facts { display: grid; gap: .6rem; } dl.facts > div { display: grid; grid-template-columns: minmax(0, 6.5rem) minmax(0, 1fr); gap: .1rem 1rem; } dl.facts dt { color: var(--soft); } dl.facts time, dl.facts .id { white-space: normal; }
pre { white-space: pre-wrap; padding: .75rem; border-radius: .375rem; background: var(--sunk); border: 1px solid var(--line); line-height: 1.55; } pre.scroll { max-height: 24rem; overflow: auto; }
details > summary { cursor: pointer; font-weight: 500; padding: .15rem 0; } details[open] > summary { margin-bottom: .4rem; } .side details[open] > summary, .menu[open] > summary { margin: 0; } li details { margin-top: .4rem; } li details pre + pre { margin-top: .5rem; }
.line { display: grid; gap: 1.1rem; grid-template-columns: minmax(0, 1fr); margin-inline-start: .3rem; border-inline-start: 1px solid var(--line); padding-inline-start: 1.1rem; } .line > li { position: relative; }
.line > li::before { content: ""; position: absolute; inset-inline-start: -1.4rem; top: .4rem; width: .6rem; height: .6rem; border-radius: 50%; background: var(--tone); outline: 3px solid var(--paper); }
.copy { display: flex; gap: .5rem 1rem; justify-content: space-between; align-items: start; flex-wrap: wrap; } .copy > div { flex: 1 1 14rem; min-width: 0; } .copy + .copy { border-top: 1px solid var(--line); padding-top: 1rem; }
.id { white-space: nowrap; display: inline-flex; max-width: 100%; align-items: center; gap: .15rem; } .address { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } td .address { display: inline-block; max-width: 16rem; vertical-align: bottom; } #env-text { white-space: pre; font-size: .75rem; }

/* Controls */
button, .button { font: inherit; font-weight: 550; line-height: 1.25; min-height: 2.25rem; padding: .4rem .8rem; border: 1px solid var(--line); border-color: color-mix(in srgb, var(--edge) 35%, var(--line)); border-radius: .375rem; background: var(--paper); color: var(--ink); cursor: pointer; display: inline-flex; align-items: center; justify-content: center; text-align: center; box-shadow: var(--lift); }
button:hover, .button:hover { border-color: var(--edge); text-decoration: none; }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); } button.main:hover, .button.main:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
button.small { min-height: 1.75rem; padding: .15rem .55rem; font-size: .8125rem; } button.danger { color: var(--bad); } button.full, .button.full { width: 100%; }
button.quiet { border-color: transparent; background: none; box-shadow: none; color: var(--soft); } button.quiet:hover { color: var(--ink); text-decoration: underline; }
button.icon { min-height: 1.5rem; width: 1.5rem; padding: 0; border-color: transparent; background: none; box-shadow: none; vertical-align: middle; color: var(--soft); } button.icon:hover { color: var(--ink); border-color: var(--line); }
button.icon::before { content: ""; width: .5rem; height: .6rem; border: 1.5px solid; border-radius: .125rem; box-shadow: -3px -3px 0 -1.5px var(--paper), -3px -3px 0 0 currentColor; transform: translate(1px, 1px); } button.icon.copied::before { content: "✓"; border: 0; box-shadow: none; width: auto; height: auto; transform: none; color: var(--good); font-size: .875rem; }
input[type=text], input[type=search], select { font: inherit; min-height: 2.25rem; padding: .35rem .65rem; width: 100%; min-width: 0; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: .375rem; } ::placeholder { color: var(--soft); opacity: 1; }
.field { display: grid; gap: .3rem; min-width: 0; } .field > label { font-weight: 550; } .joined { display: flex; gap: .5rem; } .joined input { flex: 1; } .joined button { flex: none; }
.hint { min-height: 1.25rem; line-height: 1.25rem; font-size: .8125rem; color: var(--soft); } .hint[role=alert] { color: var(--bad); } input[aria-invalid] { border-color: var(--bad); }
.filters { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; justify-content: space-between; align-items: center; } .filters form { flex: 0 1 20rem; min-width: min(16rem, 100%); }
.chips { display: flex; flex-wrap: wrap; gap: .4rem; } .chips a { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--paper); color: var(--soft); font-weight: 500; font-size: .8125rem; } .chips a:hover { border-color: var(--edge); text-decoration: none; } .chips a[aria-current] { border-color: var(--accent); color: var(--link); }
.pager { display: flex; gap: .5rem; align-items: center; } .pager span { margin-inline-end: auto; }

/* Tables: lists of cards on a narrow screen */
table { border-collapse: collapse; width: 100%; } th, td { text-align: start; padding: .6rem .9rem .6rem 0; vertical-align: baseline; } th:last-child, td:last-child { padding-inline-end: 0; } td, th { border-bottom: 1px solid var(--line); } tbody tr:last-child td { border-bottom: 0; }
th { font-size: .75rem; font-weight: 600; color: var(--soft); white-space: nowrap; } th.number, td.number, th.end, td.end { text-align: end; } td { white-space: nowrap; } td.wide, td .wrap { white-space: normal; } td .wrap { display: inline-block; max-width: 14rem; } th:first-child, td:first-child { padding-inline-start: 0; } .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
td form { display: inline-block; margin-inline-start: .35rem; } td.end { white-space: nowrap; }
@media (max-width: 59.99rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } table, tbody, tr, td { display: block; }
  tr { padding: .8rem 0; border-bottom: 1px solid var(--line); } tbody tr:last-child { border-bottom: 0; }
  td, td.number, td.end { border: 0; padding: .15rem 0; display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 1rem; text-align: end; white-space: normal; } td:has(> div:empty) { display: none; } td::before { content: attr(data-label); color: var(--soft); font-size: .8125rem; } td.wide { display: block; text-align: start; } td.wide::before { display: block; } td.end::before { content: none; } td.end { display: block; text-align: start; margin-top: .3rem; } td.end form:first-child { margin: 0; } td .address { max-width: 100%; } }

@media (min-width: 60rem) and (max-width: 79.99rem) { td, td time { white-space: normal; } td .address { max-width: 11rem; } }

/* Payment page */
.checkout { font-size: 1rem; } .checkout h2, .checkout legend { font-size: 1.0625rem; } .checkout .small, .checkout .hint { font-size: .875rem; } .checkout button, .checkout .button.main, .checkout input[type=text] { min-height: 2.75rem; } .checkout button.small { min-height: 2rem; }
.customer { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 48rem) { .customer { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 3rem; padding: 2rem 0 1rem; } .customer .card { padding: 1.5rem; } }
.summary { display: grid; gap: .4rem; align-content: start; grid-template-columns: minmax(0, 1fr); } .shop { font-weight: 650; } .order { font-size: 1rem; font-weight: 500; color: var(--soft); letter-spacing: 0; }
.amount { font-size: 2.5rem; line-height: 1.15; font-weight: 650; letter-spacing: -.025em; font-variant-numeric: tabular-nums; } .amount span { font-size: 1.25rem; font-weight: 500; color: var(--soft); letter-spacing: 0; }
legend { font-weight: 600; padding: 0; margin-bottom: .75rem; }
.method { position: relative; display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .1rem .75rem; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .5rem; margin-bottom: .5rem; }
.method label { font-weight: 550; } .method label::after { content: ""; position: absolute; inset: 0; cursor: pointer; } .method svg { margin-inline-end: .6rem; vertical-align: -.3rem; fill: #5b6478; } .method path { fill: none; stroke: #fff; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
.method input { position: relative; z-index: 1; width: 1.1rem; height: 1.1rem; margin: .25rem 0 0; accent-color: var(--accent); } .method > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; } .method p { grid-column: 2; }
.method:hover { border-color: var(--edge); } .method:has(:checked) { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); } .method:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; } .method input:focus-visible { outline: none; }
.method.off { background: var(--sunk); color: var(--soft); } .method.off:hover { border-color: var(--line); } .method.off label::after { cursor: not-allowed; } .method.off svg { opacity: .5; }
.checkout dl.facts > div { grid-template-columns: minmax(0, 5.5rem) minmax(0, 1fr); gap: .1rem .5rem; }
.result { display: flex; gap: .75rem; align-items: center; font-size: 1.25rem; font-weight: 650; line-height: 1.3; letter-spacing: -.01em; } .result svg { flex: none; fill: none; stroke: currentColor; stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; } .result { color: var(--tone); }
.controls { background: transparent; border: 1px dashed var(--test-line); box-shadow: none; } .controls h2 { color: var(--test); }
@media (prefers-reduced-motion: no-preference) { button, .button, .method { transition: border-color .12s, background-color .12s, box-shadow .12s; } }
@media (forced-colors: active) { .method:has(:checked) { outline: 2px solid Highlight; } .tag { border: 1px solid; } }
`;
