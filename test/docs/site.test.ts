import { execFile } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axe, sideways, withChromium } from '../browser/visit.ts';

// The site as it is published, built once and read in a browser.

const ROOT = join(import.meta.dirname, '../..');
const SITE = join(ROOT, 'site');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const MAINTAINERS = ['architecture', 'decisions', 'performance', 'testing'];

let server: Server;
let home: string;
beforeAll(async () => {
  const env = { ...process.env, GITHUB_REPOSITORY: 'shop/merchant-invoicing', SITE_BASE: '/' };
  await promisify(execFile)('npm', ['run', '-s', 'docs'], { cwd: ROOT, env, maxBuffer: 1e8 });
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname).replace(/\/$/, '/index.html');
    const file = join(SITE, extname(path) === '' ? `${path}.html` : path);
    const found = globSync(file).length > 0;
    response.writeHead(found ? 200 : 404, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
    response.end(found ? readFileSync(file) : undefined);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
});
afterAll(() => server?.close());

const page = (path: string) => readFileSync(join(SITE, path), 'utf8');

it('the site is small, and a guide has no sidebar of the whole reference', () => {
  const files = globSync('**/*', { cwd: SITE }).map((path) => statSync(join(SITE, path)));
  expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(20e6);
  expect(page('take-a-payment.html').length).toBeLessThan(80_000);
});

it('a page has an icon, a card, an edit link and the date of its last change', () => {
  const html = page('take-a-payment.html');
  const property = (name: string) => new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(html)?.[1];
  expect(property('og:title')).toBe('Take a payment');
  expect(property('og:image')).toBe('https://shop.github.io/merchant-invoicing/social.png');
  expect(property('twitter:card')).toBe('summary_large_image');
  expect(property('theme-color')).toBeDefined();
  expect(html).toContain('href="/mark.svg"');
  expect(html).toContain('https://github.com/shop/merchant-invoicing/edit/main/docs/take-a-payment.md');
  expect(html).toContain('Last updated');
  // the size that the networks show
  const social = readFileSync(join(SITE, 'social.png'));
  expect([social.readUInt32BE(16), social.readUInt32BE(20)]).toEqual([1200, 630]);
});

it('the reference begins with each module, and a module with what can be called', () => {
  const modules = [...page('api/index.html').matchAll(/<h2 id="merchant-invoicing([\w-]*)"/g)].map(([, name]) => name);
  const exported = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).exports);
  const entries = exported.filter((name) => name !== './package.json').map((name) => name.slice(2));
  expect(modules.sort()).toEqual(entries.sort());
  const groups = [...page('api/merchant-invoicing/webhooks/index.html').matchAll(/<h2 id="([\w-]+)"/g)];
  expect(groups.map(([, id]) => id)).toEqual(['functions', 'interfaces', 'type-aliases']);
});

describe('in a browser', () => {
  const visited = withChromium();

  visited('has no finding of axe and scrolls in one direction, in both themes, at both widths', async (visit) => {
    const findings: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        const { page, trouble } = await visit(home, { colorScheme, viewport: { width, height: 800 } });
        for (const path of [
          '/',
          '/receive-webhooks',
          '/sandbox',
          '/service-interface',
          '/api/',
          '/api/merchant-invoicing/interfaces/Invoices',
        ]) {
          await page.goto(home + path, { waitUntil: 'networkidle' });
          const where = `${path} ${colorScheme} ${width}`;
          findings.push(...(await axe(page)).map((finding) => `${where}: ${finding}`));
          if ((await sideways(page)) > 0) findings.push(`${where}: scrolls sideways`);
        }
        findings.push(...trouble);
      }
    }
    expect(findings).toEqual([]);
  });

  visited('shows 80 columns of code beside the outline', async (visit) => {
    const { page } = await visit(home, { viewport: { width: 1280, height: 800 } });
    await page.goto(`${home}/frameworks`, { waitUntil: 'networkidle' });
    const hidden = `[...document.querySelectorAll('.vp-doc div[class*="language-"]')].filter((each) => each.checkVisibility())
      .filter((each) => each.scrollWidth > each.clientWidth || each.querySelector('pre').scrollWidth > each.clientWidth).map((each) => each.textContent)`;
    expect(await page.evaluate(hidden)).toEqual([]);
  });

  visited('opens the tab that a link names, also on the page itself', async (visit) => {
    const { page } = await visit(home);
    const shown = `[...document.querySelectorAll('.blocks > *')].find((each) => each.checkVisibility()).textContent`;
    await page.goto(`${home}/frameworks#fastify`, { waitUntil: 'networkidle' });
    await expect.poll(() => page.evaluate(shown), { timeout: 60_000 }).toContain("import fastify from 'fastify'");
    await page.evaluate(`location.hash = '#lambda'`);
    await expect.poll(() => page.evaluate(shown), { timeout: 60_000 }).toContain('toLambdaHandler');
  });

  visited('finds guides before members, and no page for contributors', async (visit) => {
    const { page } = await visit(home);
    await page.goto(home, { waitUntil: 'networkidle' });
    /** The paths that the search names first. */
    const search = async (words: string) => {
      await page.locator('.DocSearch-Button').click();
      await page.locator('#localsearch-input').fill(words);
      await page.locator('.results .result').first().waitFor();
      const links = page.locator('.results .result');
      const found = await links.evaluateAll((all) => all.map((each) => String(each.getAttribute('href'))));
      await page.keyboard.press('Escape');
      await page.locator('#localsearch-input').waitFor({ state: 'detached' });
      return found;
    };
    await search('webhook'); // loads the index
    for (const words of ['retry', 'partial payment', 'refund', 'store']) {
      const members = (await search(words)).slice(0, 5).filter((href) => href.startsWith('/api/'));
      expect([words, members]).toEqual([words, []]);
    }
    expect((await search('retry')).slice(0, 3)).toContain('/take-a-payment.html#when-the-service-is-slow');
    expect((await search('partial payment'))[0]).toMatch(/^\/after-the-payment\.html/);
    // Each word stands in pages for contributors, and in a guide or a member.
    for (const words of ['decisions', 'signature', 'store']) {
      const found = await search(words);
      expect(found.filter((href) => MAINTAINERS.some((name) => href.startsWith(`/${name}.html`)))).toEqual([]);
    }
    expect((await search('createWebhookHandler')).join()).toContain('/functions/createWebhookHandler');
  });
});
