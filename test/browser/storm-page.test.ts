import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { storm } from '../../src/tools/storm/index.ts';
import { MISTAKES } from '../tools/storm/mistakes.ts';
import { shopWith } from '../tools/storm/shop.ts';
import { axe, sideways, withChromium } from './visit.ts';

const it = withChromium();

it('the report of a storm: axe finds nothing in both themes, nothing scrolls sideways, letters stay legible, and its test can be copied', async (visit) => {
  const shop = shopWith((wrong) => {
    MISTAKES['memoryStore with a restart'].plant(wrong);
    MISTAKES['adjusted treated as paid in full'].plant(wrong);
    return { catchUp: undefined };
  });
  const page = (await storm({ seed: 3, shop })).html();
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page: shown, outside, trouble } = await visit(url, { colorScheme });
    for (const width of [1280, 950, 710, 390]) {
      await shown.setViewportSize({ width, height: 800 });
      await shown.goto(url);
      expect([width, colorScheme, await axe(shown), await sideways(shown)]).toEqual([width, colorScheme, [], 0]);
      const letters = shown.locator('svg text').filter({ visible: true });
      const heights = await letters.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
      expect(Math.min(...heights)).toBeGreaterThan(11);
    }
    expect(await shown.getByRole('button', { name: 'Copy as test' }).count()).toBeGreaterThan(1);
    expect([outside, trouble]).toEqual([[], []]);
  }
});
