import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, it, onTestFinished } from 'vitest';
import { launch, NO_CHROMIUM } from './chromium.ts';

/** A page that is watched while it is used. */
export interface Visit {
  readonly page: Page;
  /** Requests that left the visited origins. None was let out. */
  readonly outside: string[];
  /** Dialogs, script errors, violations of the content policy. */
  readonly trouble: string[];
}

/** A limit against hanging, not a measure: a browser on a busy machine takes its time. */
const HANGS = 300_000;

/** Visits one origin, or several. Requests to others are not let out. */
export type Visiting = (origin: string | readonly string[], options?: BrowserContextOptions) => Promise<Visit>;

/** One Chromium for a test file; a context of its own for each visit. Without Chromium the tests are skipped, and say why. */
export function withChromium(): (name: string, test: (visit: Visiting) => Promise<void>) => void {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (NO_CHROMIUM === null) browser = await launch();
  });
  afterAll(() => browser?.close());
  const visiting: Visiting = async (origin, options = {}) => {
    if (browser === undefined) throw new Error('Chromium was not started');
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(120_000);
    onTestFinished(() => context.close());
    const visit: Visit = { page: await context.newPage(), outside: [], trouble: [] };
    const origins = [origin].flat().map((each) => new URL(each).origin);
    await context.route(
      (url) => !origins.includes(url.origin),
      (route) => {
        visit.outside.push(route.request().url());
        return route.abort();
      },
    );
    const { page, trouble } = visit;
    page.on('dialog', (dialog) => {
      trouble.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) trouble.push(message.text());
    });
    return visit;
  };
  return (name, test) =>
    it(
      name,
      async ({ skip }) => {
        if (NO_CHROMIUM !== null) skip(NO_CHROMIUM);
        await test(visiting);
      },
      HANGS,
    );
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on the page as it stands, one line each: by all of its rules, or by some. */
export async function axe(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** By how many pixels the page, or a box on it, is too narrow for its content. */
export function sideways(page: Page): Promise<number> {
  const boxes =
    '[document.documentElement, ...document.querySelectorAll(".card, .detail, .list, .sheet")].filter((each) => each.checkVisibility())';
  return page.evaluate<number>(`Math.max(...${boxes}.map((each) => each.scrollWidth - each.clientWidth))`);
}
