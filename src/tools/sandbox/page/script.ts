/** Extras only: every page works without it. */
export const SCRIPT = `'use strict';
// The sections that follow the events, with their content as the sandbox sent it.
const live = new Map([...document.querySelectorAll('[data-live]')].map((each) => [each, each.innerHTML]));

const two = (number) => String(number).padStart(2, '0');
const clockOf = (date) => [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
const dayOf = (date) => date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const localise = (each) => {
  const date = new Date(each.dateTime);
  each.title = dayOf(date) + ', ' + clockOf(date) + ' here, ' + date.toISOString();
  each.textContent = 'minute' in each.dataset ? clockOf(date).slice(0, 5) : 'full' in each.dataset ? dayOf(date) + ', ' + clockOf(date) : clockOf(date);
};
const groupByDay = (list) => {
  for (const each of list.querySelectorAll('.day')) each.remove();
  const clock = document.querySelector('[data-clock] time');
  const today = clock && dayOf(new Date(clock.dateTime));
  let before = '';
  for (const each of [...list.children]) {
    const day = dayOf(new Date(each.querySelector('time').dateTime));
    if (day !== before) {
      const head = document.createElement('li');
      head.className = 'day';
      head.textContent = day === today ? 'Today' : day;
      each.before(head);
    }
    before = day;
  }
};

const enhance = (root) => {
  for (const each of root.querySelectorAll('[data-scripted]')) each.hidden = false;
  for (const each of root.querySelectorAll('time')) localise(each);
  for (const each of root.querySelectorAll('[data-days]')) groupByDay(each);
  // A second click while the first is on its way sends nothing. The service would not pay twice either.
  for (const each of root.querySelectorAll('form')) {
    if (each.getAttribute('method') !== 'post') continue; // each.method may be a radio button of that name
    each.addEventListener('submit', (event) => {
      if (each.dataset.sent) event.preventDefault();
      each.dataset.sent = 'yes';
    });
  }
  for (const button of root.querySelectorAll('[data-copy]')) {
    button.addEventListener('click', () => copy(button));
  }
};

const copy = async (button) => {
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch { // no secure context: another name than that of this machine
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
  button.classList.add('copied');
  const label = button.getAttribute('aria-label');
  if (label === null) button.textContent = 'Copied';
  else button.setAttribute('aria-label', 'Copied');
};
enhance(document);
for (const each of document.querySelectorAll('[data-select]')) each.select();

// The buttons of the dock also send the payment method that is chosen on the page.
document.addEventListener('submit', (event) => {
  const chosen = document.querySelector('#pay-form input[name=method]:checked');
  if (!chosen || !event.target.closest('.dock')) return;
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = 'method';
  field.value = chosen.value;
  event.target.append(field);
});

// After Back the browser may show an old copy of this page, so it is loaded again.
addEventListener('pageshow', (event) => {
  for (const each of document.forms) delete each.dataset.sent;
  if (event.persisted) location.reload();
});

// The clock in the bar goes on while it runs.
setInterval(() => {
  for (const each of document.querySelectorAll('[data-ticking] time')) {
    const now = new Date(Date.parse(each.dateTime) + 1000);
    each.dateTime = now.toISOString();
    each.textContent = clockOf(now);
  }
}, 1000);

// A menu closes when something else is pressed.
addEventListener('pointerdown', (event) => {
  for (const each of document.querySelectorAll('details.menu[open]')) if (!each.contains(event.target)) each.open = false;
});
addEventListener('keydown', (event) => {
  const menu = event.key === 'Escape' && document.querySelector('details.menu[open]');
  if (menu) { menu.open = false; menu.querySelector('summary').focus(); }
});

// A part of a second counts as one: the page shows 0:01 until the end, then reloads to show how the order ended.
const left = document.querySelector('[data-counting]');
if (left) {
  const end = performance.now() + Number(left.dataset.left);
  const tick = () => {
    const remaining = end - performance.now();
    if (remaining <= 0) { setTimeout(() => location.reload(), 50); return; }
    const seconds = Math.ceil(remaining / 1000);
    left.textContent = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0');
    setTimeout(tick, remaining - (seconds - 1) * 1000);
  };
  tick();
}

// The return to the shop after three seconds. Any key or click stops it.
const back = document.querySelector('[data-return]');
if (back) {
  history.replaceState(null, '', location.pathname); // so that coming back here does not lead away again
  let remaining = 3;
  back.hidden = false;
  const timer = setInterval(() => {
    remaining -= 1;
    back.querySelector('[data-seconds]').textContent = remaining;
    if (remaining > 0) return;
    clearInterval(timer);
    location.assign(document.querySelector('[data-return-link]').href);
  }, 1000);
  const stop = () => { clearInterval(timer); back.hidden = true; };
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, stop);
}

// The list of two panes stays where it was when one of its rows is chosen.
const pane = document.querySelector('.list');
if (pane) {
  const place = 'list ' + location.pathname.split('/')[1];
  const before = sessionStorage.getItem(place);
  const stay = () => { if (location.hash !== '' && before !== null) pane.scrollTop = Number(before); };
  stay();
  addEventListener('load', stay); // after the browser has gone to the row of the address
  addEventListener('pagehide', () => sessionStorage.setItem(place, String(pane.scrollTop)));
}

// New invoices, deliveries and requests appear without a reload. A section that is in use waits until it is left. A hidden
// page does not listen, because a browser keeps only six connections to one server.
const order = document.querySelector('[data-status]');
if ((live.size > 0 || order) && typeof EventSource === 'function') {
  let source = null;
  let timer = 0;
  const inUse = (each) => each.contains(document.activeElement) || each.querySelector('details[open]:not([data-open], [data-kept])') !== null;
  const update = async () => {
    timer = 0;
    const response = await fetch(location.href).catch(() => null);
    if (response === null || !response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    // The order was paid or ended elsewhere, such as in another tab. A form of this page that is on its way goes on.
    const status = page.querySelector('[data-status]')?.dataset.status;
    if (order && status !== order.dataset.status && !document.querySelector('form[data-sent]')) { location.reload(); return; }
    for (const [each, before] of live) {
      const now = page.getElementById(each.id);
      if (now === null || now.innerHTML === before || inUse(each)) continue;
      live.set(each, now.innerHTML);
      const open = [...each.querySelectorAll('[data-kept]')].filter((kept) => kept.open).map((kept) => kept.id);
      each.innerHTML = now.innerHTML;
      for (const id of open) { const kept = document.getElementById(id); if (kept) kept.open = true; }
      enhance(each);
    }
  };
  const soon = () => { if (timer === 0) timer = setTimeout(update, 150); };
  const listen = () => {
    if (document.hidden) { source?.close(); source = null; return; }
    if (source !== null) return;
    source = new EventSource('/_/events');
    source.onmessage = soon;
    source.onopen = soon; // shows what happened while nothing listened
  };
  document.addEventListener('visibilitychange', listen);
  document.addEventListener('focusout', soon);
  addEventListener('pagehide', () => { source?.close(); source = null; });
  listen();
}
`;
