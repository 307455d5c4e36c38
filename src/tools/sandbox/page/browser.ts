// The script of all pages. It runs in a browser: the sandbox sends the text of the function as a file, so nothing outside
// of the function may be used in it.

/** Extras only: every page works without it. */
export function pageScript(): void {
  const all = (selector: string, root: ParentNode = document): HTMLElement[] => [
    ...root.querySelectorAll<HTMLElement>(selector),
  ];
  const one = (selector: string, root: ParentNode = document): HTMLElement | null => root.querySelector(selector);
  const isInside = (target: EventTarget | null, selector: string): boolean =>
    target instanceof Element && target.closest(selector) !== null;

  // The sections that follow the events, with their content as the sandbox sent it.
  const live = new Map(all('[data-live]').map((each) => [each, each.innerHTML]));

  // Times are shown in the zone of the reader.
  const clockOf = (date: Date): string =>
    [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
  const dayOf = (date: Date): string =>
    date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
  const timesIn = (root: ParentNode): HTMLTimeElement[] => [...root.querySelectorAll('time')];
  const localise = (each: HTMLTimeElement): void => {
    const date = new Date(each.dateTime);
    const whole = `${dayOf(date)}, ${clockOf(date)}`;
    each.title = `${whole} here, ${date.toISOString()}`;
    const minute = clockOf(date).slice(0, 5);
    if ('minute' in each.dataset) each.textContent = minute;
    else if ('day' in each.dataset)
      each.textContent = `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} ${minute}`;
    else each.textContent = 'full' in each.dataset ? whole : clockOf(date);
  };
  const groupByDay = (list: HTMLElement): void => {
    for (const each of all('.day', list)) each.remove();
    const [clock] = all('[data-clock]').flatMap(timesIn);
    const today = clock && dayOf(new Date(clock.dateTime));
    let before = '';
    for (const each of [...list.children]) {
      const [time] = timesIn(each);
      if (time === undefined) continue;
      const day = dayOf(new Date(time.dateTime));
      if (day !== before) {
        const head = document.createElement('li');
        head.className = 'day';
        const what = document.createElement('span');
        what.textContent = list.dataset['days'] ?? '';
        head.append(day === today ? 'Today' : day, what);
        each.before(head);
      }
      before = day;
    }
  };

  const copy = async (button: HTMLElement): Promise<void> => {
    const text = button.dataset['copy'] ?? '';
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // No secure context: another name than that of this machine.
      const field = document.createElement('textarea');
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand('copy');
      field.remove();
    }
    button.classList.add('copied');
    if (button.hasAttribute('aria-label')) button.setAttribute('aria-label', 'Copied');
    else button.textContent = 'Copied';
  };

  const enhance = (root: ParentNode): void => {
    for (const each of all('[data-scripted]', root)) each.hidden = false;
    for (const each of timesIn(root)) localise(each);
    for (const each of all('[data-days]', root)) groupByDay(each);
  };
  enhance(document);
  for (const each of all('[data-select]')) if (each instanceof HTMLInputElement) each.select();
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null;
    if (button !== null) void copy(button);
  });

  // While a form is on its way no other one is sent, and the pressed button says so. The service would not pay twice either.
  let isSending = false;
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || form.getAttribute('method') !== 'post') return; // form.method may be a radio button of that name
    if (isSending) {
      event.preventDefault();
      return;
    }
    isSending = true;
    submitter?.setAttribute('aria-busy', 'true');
    // The buttons of the dock also send the payment method that is chosen on the page.
    const chosen = document.querySelector<HTMLInputElement>('#pay-form input[name=method]:checked');
    if (chosen === null || !isInside(form, '.dock')) return;
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = 'method';
    field.value = chosen.value;
    form.append(field);
  });
  // After Back the browser may show an old copy of this page, so it is loaded again.
  addEventListener('pageshow', ({ persisted }) => {
    isSending = false;
    for (const each of all('[aria-busy]')) each.removeAttribute('aria-busy');
    if (persisted) location.reload();
  });

  // The clock in the bar goes on while it runs.
  setInterval(() => {
    for (const each of all('[data-ticking]').flatMap(timesIn)) {
      const now = new Date(Date.parse(each.dateTime) + 1000);
      each.dateTime = now.toISOString();
      each.textContent = clockOf(now);
    }
  }, 1000);

  // A menu closes when something else is pressed.
  const openMenus = (): HTMLDetailsElement[] => [
    ...document.querySelectorAll<HTMLDetailsElement>('details.menu[open]'),
  ];
  addEventListener('pointerdown', ({ target }) => {
    for (const each of openMenus()) if (!(target instanceof Node) || !each.contains(target)) each.open = false;
  });
  addEventListener('keydown', ({ key }) => {
    const [menu] = openMenus();
    if (key !== 'Escape' || menu === undefined) return;
    menu.open = false;
    one('summary', menu)?.focus();
  });

  // A part of a second counts as one: the page shows 0:01 until the end, then reloads to show how the order ended.
  const left = one('[data-counting]');
  if (left !== null) {
    const end = performance.now() + Number(left.dataset['left']);
    const tick = (): void => {
      const remaining = end - performance.now();
      if (remaining <= 0) {
        setTimeout(() => location.reload(), 50);
        return;
      }
      const seconds = Math.ceil(remaining / 1000);
      left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
      setTimeout(tick, remaining - (seconds - 1) * 1000);
    };
    tick();
  }

  // The return to the shop after three seconds. Any key or click stops it.
  const back = one('[data-return]');
  const shop = document.querySelector<HTMLAnchorElement>('[data-return-link]');
  if (back !== null && shop !== null) {
    history.replaceState(null, '', location.pathname); // so that coming back here does not lead away again
    let remaining = 3;
    back.hidden = false;
    const timer = setInterval(() => {
      remaining -= 1;
      for (const each of all('[data-seconds]', back)) each.textContent = String(remaining);
      if (remaining > 0) return;
      clearInterval(timer);
      location.assign(shop.href);
    }, 1000);
    const stop = (): void => {
      clearInterval(timer);
      back.hidden = true;
    };
    for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, stop);
  }

  // The list of two panes stays where it was when one of its rows is chosen, and the chosen row is in sight. A narrow screen
  // shows one pane, and no row of it is chosen.
  const pane = one('.list');
  if (pane !== null && matchMedia('(min-width: 1100px)').matches) {
    const place = `list ${location.pathname.split('/')[1]}`;
    const before = sessionStorage.getItem(place);
    const settle = (): void => {
      if (location.hash !== '' && before !== null) pane.scrollTop = Number(before);
      one('[aria-current=true].row', pane)?.scrollIntoView({ block: 'nearest' });
    };
    settle();
    addEventListener('load', settle); // after the browser has gone to the row of the address
    addEventListener('pagehide', () => sessionStorage.setItem(place, String(pane.scrollTop)));
  }

  // New invoices, deliveries and requests appear without a reload. A section that is in use waits until it is left. A hidden
  // page does not listen, because a browser keeps only six connections to one server.
  const order = one('[data-status]');
  if (live.size === 0 && order === null) return;
  const inUse = (each: HTMLElement): boolean =>
    each.contains(document.activeElement) || one('details[open]:not([data-open], [data-kept])', each) !== null;
  const update = async (): Promise<void> => {
    const response = await fetch(location.href).catch(() => null);
    if (response === null || !response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    // The order was paid or ended elsewhere, such as in another tab. A form of this page that is on its way goes on.
    const status = one('[data-status]', page)?.dataset['status'];
    if (order !== null && status !== order.dataset['status'] && !isSending) {
      location.reload();
      return;
    }
    for (const [each, shown] of live) {
      const now = page.getElementById(each.id);
      if (now === null || now.innerHTML === shown || inUse(each)) continue;
      live.set(each, now.innerHTML);
      const kept = new Map(
        [...each.querySelectorAll<HTMLDetailsElement>('[data-kept]')].map(({ id, open }) => [id, open]),
      );
      each.innerHTML = now.innerHTML;
      for (const again of each.querySelectorAll<HTMLDetailsElement>('[data-kept]'))
        again.open = kept.get(again.id) ?? again.open;
      enhance(each);
    }
  };
  let timer: number | undefined;
  const soon = (): void => {
    if (timer !== undefined) return;
    timer = window.setTimeout(() => {
      timer = undefined;
      void update();
    }, 150);
  };
  let source: EventSource | null = null;
  const stop = (): void => {
    source?.close();
    source = null;
  };
  const listen = (): void => {
    if (document.hidden) stop();
    if (document.hidden || source !== null) return;
    source = new EventSource('/_/events');
    source.onmessage = soon;
    source.onopen = soon; // shows what happened while nothing listened
  };
  document.addEventListener('visibilitychange', listen);
  document.addEventListener('focusout', soon);
  addEventListener('pagehide', stop);
  listen();
}
