/** One style sheet for all pages: light and dark, 320 px upwards, no outside font or image. */
export const STYLE = `:root { color-scheme: light dark; --ink: #16202c; --soft: #556172; --paper: #ffffff; --ground: #f2f4f7;
  --line: #c9d0d9; --accent: #0b5cad; --on-accent: #ffffff; --good: #146c2e; --bad: #a11526; --test: #6b4e00; --test-ground: #fff6dd; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf3; --soft: #a5b1bf; --paper: #18202a; --ground: #0f151c;
  --line: #3a4655; --accent: #7db7f5; --on-accent: #0b1622; --good: #7fd796; --bad: #ff9aa5; --test: #f3d27a; --test-ground: #2b2411; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
.banner { margin: 0; padding: .4rem 1rem; background: var(--test-ground); color: var(--test); text-align: center; }
main { max-width: 40rem; margin: 1rem auto; padding: 0 1rem 2rem; }
main:has(table) { max-width: 72rem; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 0 0 1rem; }
section.levers { border-style: dashed; background: var(--test-ground); }
h1 { font-size: 1.3rem; margin: 0 0 .3rem; } h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
.amount { font-size: 1.8rem; font-weight: 650; margin: .2rem 0; }
.soft { color: var(--soft); margin: .2rem 0; }
.good { color: var(--good); } .bad { color: var(--bad); }
fieldset { border: 0; margin: 1rem 0; padding: 0; } legend { font-weight: 600; padding: 0; margin-bottom: .4rem; }
.method { display: flex; gap: .7rem; padding: .7rem; border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 .5rem; }
.method:has(:checked) { border-color: var(--accent); outline: 1px solid var(--accent); }
.method input { margin-top: .35rem; } .method span { display: block; }
.method.off { color: var(--soft); }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .6rem 0 0; }
label.field { display: block; } label.field span { display: block; font-size: .9rem; }
input[type=text] { font: inherit; padding: .45rem; width: 9rem; max-width: 100%; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: .4rem; }
button { font: inherit; min-height: 2.6rem; padding: .4rem .9rem; border: 1px solid var(--accent); border-radius: .4rem; background: var(--paper); color: var(--accent); cursor: pointer; }
button.main { background: var(--accent); color: var(--on-accent); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; margin: .5rem 0; } dt { color: var(--soft); } dd { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } th, td { text-align: start; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th, td { overflow-wrap: normal; } td bdi, td:nth-child(2) { overflow-wrap: anywhere; min-width: 6rem; } td form { display: inline; } td button { white-space: nowrap; margin: 0 0 .2rem; } pre { white-space: pre-wrap; margin: .3rem 0; font-size: .85rem; }
`;

/** Extras only: every page works without it. */
export const SCRIPT = `'use strict';
const form = document.querySelector('[data-pay-form]');
if (form) {
  const button = form.querySelector('[data-pay-button]');
  const show = () => {
    const chosen = form.querySelector('input[name=method]:checked');
    if (!chosen) return;
    if (button) button.textContent = 'Pay ' + chosen.dataset.pay;
    for (const field of document.querySelectorAll('[data-method]')) field.value = chosen.value;
  };
  form.addEventListener('change', show);
  show();
}
for (const each of document.forms) {
  each.addEventListener('submit', (event) => {
    if (each.dataset.sent) event.preventDefault();
    each.dataset.sent = 'yes';
  });
}
addEventListener('pageshow', () => { for (const each of document.forms) delete each.dataset.sent; });
const left = document.querySelector('[data-left]');
if (left && left.dataset.clock === 'real') {
  const end = performance.now() + Number(left.dataset.left);
  const tick = () => {
    const seconds = Math.max(0, Math.round((end - performance.now()) / 1000));
    left.textContent = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0') + ' left';
    if (seconds === 0) location.reload(); else setTimeout(tick, 1000);
  };
  if (end > performance.now() + 1000) tick();
}
`;

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/><path d="M4 6h8M4 10h8" stroke="#fff" stroke-width="1.6"/></svg>`;
