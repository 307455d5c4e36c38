/** Extras only: every page works without it. */
export const SCRIPT = `'use strict';
for (const each of document.querySelectorAll('[data-scripted]')) each.hidden = false;

for (const each of document.querySelectorAll('time[datetime]')) {
  each.title = each.textContent;
  each.textContent = new Date(each.dateTime).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}
for (const each of document.querySelectorAll('[data-select]')) each.select();

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

// A second click while the first is on its way sends nothing. The service would not pay twice either.
for (const each of document.forms) {
  if (each.getAttribute('method') !== 'post') continue; // each.method may be a radio button of that name
  each.addEventListener('submit', (event) => {
    if (each.dataset.sent) event.preventDefault();
    each.dataset.sent = 'yes';
  });
}
// Back from another page with the old state of this one: look again.
addEventListener('pageshow', (event) => {
  for (const each of document.forms) delete each.dataset.sent;
  if (event.persisted) location.reload();
});

// A begun second counts as one: the page says 0:01 until the end, then it asks for the end of the order.
const left = document.querySelector('[data-left]');
if (left && left.dataset.clock === 'real') {
  const end = performance.now() + Number(left.dataset.left);
  const tick = () => {
    const remaining = end - performance.now();
    if (remaining <= 0) { setTimeout(() => location.reload(), 50); return; }
    const seconds = Math.ceil(remaining / 1000);
    left.textContent = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0') + ' left';
    setTimeout(tick, remaining - (seconds - 1) * 1000);
  };
  tick();
}

if (document.body.dataset.lookAgain !== undefined) setTimeout(() => location.reload(), 1000);

const back = document.querySelector('[data-return]');
if (back) {
  const link = document.querySelector('[data-return-link]');
  const seconds = back.querySelector('[data-seconds]');
  const stay = back.querySelector('button');
  history.replaceState(null, '', location.pathname); // so that coming back here does not lead away again
  let remaining = 3;
  back.hidden = false;
  const timer = setInterval(() => {
    remaining -= 1;
    seconds.textContent = String(Math.max(0, remaining));
    if (remaining <= 0) { clearInterval(timer); location.assign(link.href); }
  }, 1000);
  const stop = () => { clearInterval(timer); back.hidden = true; };
  stay.addEventListener('click', () => { stop(); link.focus(); });
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, (event) => {
    if (event.target.closest && event.target.closest('[data-return]')) return;
    stop();
  });
}

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
      button.textContent = 'Selected: press Ctrl-C';
    }
  });
}
`;
