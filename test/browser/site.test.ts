import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axe, sideways, withChromium } from './visit.ts';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'merchant-invoicing-site-'));
let server: ChildProcess;
let url = '';
let said = '';

beforeAll(async () => {
  server = spawn(process.execPath, ['scripts/docs.ts', '--serve', '--out', folder], { cwd: ROOT });
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (text) => (said += String(text)));
  const ended = once(server, 'exit').then(() => Promise.reject(new Error(said)));
  while (!said.includes('http://127.0.0.1')) await Promise.race([once(server.stdout ?? server, 'data'), ended]);
  ended.catch(() => {}); // it ends at the end
  [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
});
afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** The pages that are looked at: each kind of the reference, and all that are written by hand. */
const REFERENCE = [
  'index.html',
  'modules.html',
  'modules/merchant-invoicing.html',
  'classes/merchant-invoicing.MerchantClient.html',
  'interfaces/merchant-invoicing.Invoices.html',
  'interfaces/merchant-invoicing_sandbox.Sandbox.html',
  'functions/merchant-invoicing_webhooks.createWebhookHandler.html',
];
const handwritten = (): string[] => [
  ...globSync('{docs,examples}/**/*.html', { cwd: folder }),
  ...globSync('*.html', { cwd: folder, exclude: ['hierarchy.html', 'index.html', 'modules.html'] }),
];

describe('npm run docs', () => {
  it('builds without a word of warning', () => {
    expect(said).not.toMatch(/warn|error/i);
  });

  it('has a page for each page of docs/ and each example', () => {
    const sources = globSync(['docs/*.md', 'docs/guides/**/*.md', 'examples/**/*.ts'], { cwd: ROOT });
    const missing = sources.filter((path) => !existsSync(join(folder, path.replace(/\.\w+$/, '.html'))));
    expect(missing).toEqual([]);
  });

  it('leads to a file, and to an anchor in it, with each link', () => {
    const anchors = new Map<string, ReadonlySet<string>>();
    const anchorsOf = (path: string): ReadonlySet<string> => {
      const ids = () => new Set([...readFileSync(path, 'utf8').matchAll(/\bid="([^"]*)"/g)].map(([, id = '']) => id));
      const known = anchors.get(path) ?? ids();
      anchors.set(path, known);
      return known;
    };
    const broken = globSync('**/*.html', { cwd: folder }).flatMap((page) => {
      const text = readFileSync(join(folder, page), 'utf8');
      const targets = [...text.matchAll(/\b(?:href|src)="([^"]+)"/g)].map(([, target = '']) => target);
      return [...new Set(targets)].flatMap((target) => {
        if (/^(?:https?|mailto|data):/.test(target)) return [];
        const [path = '', anchor = ''] = target.replaceAll('&amp;', '&').split('#');
        const named = join(
          folder,
          path === '' ? page : join(dirname(page), decodeURIComponent(path.replace(/\?.*/, ''))),
        );
        const file = named.endsWith('/') ? `${named}index.html` : named;
        const isThere = existsSync(file) && (anchor === '' || anchorsOf(file).has(decodeURIComponent(anchor)));
        return isThere ? [] : [`${page}: ${target}`];
      });
    });
    expect(broken).toEqual([]);
  });

  it('names no placeholder as the place of the sources', () => {
    const pages = globSync('**/*.html', { cwd: folder }).map((page) => join(folder, page));
    expect(pages.filter((page) => /example\.invalid\/merchant-invoicing/.test(readFileSync(page, 'utf8')))).toEqual([]);
  });
});

describe.each(['llms.txt', 'AGENTS.md'])('%s', (name) => {
  it('links to files of the site', () => {
    const targets = [...readFileSync(join(folder, name), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });
});

describe('llms.txt', () => {
  const text = () => readFileSync(join(folder, 'llms.txt'), 'utf8');

  it('has the form of the standard: one title, one quote, sections of links', () => {
    const [title, quote, ...rest] = text().split('\n\n');
    expect([title, quote]).toEqual([expect.stringMatching(/^# \S+$/), expect.stringMatching(/^> [A-Z].*\.$/)]);
    const lines = rest.slice(1).join('\n').split('\n').filter(Boolean);
    expect(lines.filter((line) => !/^(?:## \w+|- \[[^\]]+\]\([^)]+\)(?:: \S.*\.)?)$/.test(line))).toEqual([]);
  });

  it('names each page once, and llms-full.txt has the text of all pages for users', () => {
    const names = [...text().matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    expect(new Set(names).size).toBe(names.length);
    const full = readFileSync(join(folder, 'llms-full.txt'), 'utf8');
    for (const path of globSync('docs/*.md', { cwd: ROOT })) {
      expect(names).toContain(path);
      const body = readFileSync(join(ROOT, path), 'utf8').trim();
      expect(full.includes(body), path).toBe(
        !/(?:architecture|architecture-decisions|testing)\.md$/.test(path) || path.includes('testing-your'),
      );
    }
  });
});

describe('npm run docs -- --serve', () => {
  const get = (path: string, init?: RequestInit): Promise<Response> => fetch(`${url}${path}`, init);

  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/docs/errors.html', 'text/html; charset=utf-8'],
    ['/docs/errors.md', 'text/markdown; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/assets/main.js', 'text/javascript; charset=utf-8'],
    ['/assets/style.css?cache=1', 'text/css; charset=utf-8'],
    ['/assets/icons.svg', 'image/svg+xml'],
  ])('answers %s as %s', async (path, type) => {
    const response = await get(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    const sent = await get(path, { method: 'HEAD' });
    expect([sent.status, await sent.text()]).toEqual([200, '']);
  });

  it.each([
    '/nothing.html',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/docs/%2e%2e%2f%2e%2e%2f',
    `/..%2f${relative(tmpdir(), folder)}-other%2findex.html`,
    '/%00',
    '/%zz',
  ])('answers %s with 404', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('leads from a folder to its pages, and refuses to write', async () => {
    expect((await get('/docs', { redirect: 'manual' })).headers.get('location')).toBe('/docs/');
    expect((await get('/', { method: 'POST' })).status).toBe(405);
  });
});

const test = withChromium();
/** Headings of the theme that fold, and hold a link. Headings of the theme that leave out a level. */
const THEME = /^(?:nested-interactive|heading-order):/;
const background = (page: Page): Promise<string> =>
  page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

/** Also the errors of the console, which a page of documents must not have. */
function listened(page: Page, trouble: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(message.text());
  });
}

test('the search finds createWebhookHandler, and a word of a guide', async (visit) => {
  const { page, outside, trouble } = await visit(url);
  listened(page, trouble);
  await page.goto(url);
  await page.locator('#tsd-search-trigger').click();
  await page.locator('#tsd-search-input').fill('createWebhookHandler');
  const found = page.locator('#tsd-search-results li');
  await found.first().waitFor();
  expect(await found.first().textContent()).toContain('createWebhookHandler');
  await page.locator('#tsd-search-input').fill('idempotency');
  await page.locator('#tsd-search-results a[href*="docs/"]').first().waitFor();
  await page.locator('#tsd-search-input').fill('createWebhookHandler');
  await page.locator('#tsd-search-results a[href*="createWebhookHandler"]').first().click();
  await page.waitForURL('**/functions/*createWebhookHandler*');
  expect(await page.locator('h1').first().textContent()).toContain('createWebhookHandler');
  expect([outside, trouble]).toEqual([[], []]);
});

test('the theme follows the system, can be chosen, and stays chosen', async (visit) => {
  const { page } = await visit(url, { colorScheme: 'light' });
  await page.goto(url);
  const light = await background(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await background(page);
  expect(dark).not.toBe(light);
  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
  await page.locator('#tsd-theme').selectOption('light');
  expect(await background(page)).toBe(light);
  await page.reload();
  expect(await background(page)).toBe(light);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no page scrolls sideways on a phone, and none reports an error: ${colorScheme}`, async (visit) => {
    const { page, outside, trouble } = await visit(url, { colorScheme, viewport: { width: 360, height: 740 } });
    listened(page, trouble);
    const wide: string[] = [];
    for (const path of [...REFERENCE, ...(colorScheme === 'light' ? handwritten() : [])]) {
      await page.goto(`${url}/${path}`);
      if ((await sideways(page)) > 0) wide.push(path);
    }
    expect([wide, outside, trouble]).toEqual([[], [], []]);
  });

  test(`axe finds nothing but what the theme of typedoc does: ${colorScheme}`, async (visit) => {
    const { page } = await visit(url, { colorScheme, viewport: { width: 1280, height: 900 } });
    for (const path of [...REFERENCE, 'docs/errors.html', 'examples/receivers/express.html']) {
      await page.goto(`${url}/${path}`);
      expect(
        (await axe(page)).filter((line) => !THEME.test(line)),
        path,
      ).toEqual([]);
    }
  });
}

it('ends at Ctrl-C', async () => {
  server.kill('SIGINT');
  const [code] = server.exitCode === null ? await once(server, 'exit') : [server.exitCode];
  expect(code).toBe(0);
});
