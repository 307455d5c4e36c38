import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { guideTo } from '../../src/errors/codes.ts';
import { OLDEST_NODE, VERSION } from '../../src/errors/version.ts';

const { version, engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
afterEach(() => vi.unstubAllGlobals());

/** The function of a new process. */
async function warner(): Promise<() => void> {
  vi.resetModules();
  return (await import('../../src/errors/version.ts')).warnOfOldNode;
}

describe('version and engines', () => {
  it('are those of package.json', () => {
    expect([VERSION, `>=${OLDEST_NODE}`]).toEqual([version, engines.node]);
  });

  it.each([
    ['20.20.2', true],
    ['22.11.0', true],
    ['22.12.0', false],
    ['23.0.0', false],
    ['100.1.0', false],
  ])('a process of Node %s is warned once: %s', async (node, isWarned) => {
    const warnOfOldNode = await warner();
    const emitWarning = vi.fn();
    vi.stubGlobal('process', { versions: { node }, emitWarning });
    for (let entry = 0; entry < 2; entry += 1) warnOfOldNode();
    const warning = [
      `merchant-invoicing needs Node 22.12 or later, and this is Node ${node}.`,
      { code: 'MERCHANT_INVOICING_NODE' },
    ];
    expect(emitWarning.mock.calls).toEqual(isWarned ? [warning] : []);
  });

  it.each([
    ['no process', undefined],
    ['a process without versions', {}],
    ['versions without Node', { versions: { bun: '1.4.0' } }],
  ])('a runtime with %s is left alone', async (_, process) => {
    const warnOfOldNode = await warner();
    vi.stubGlobal('process', process);
    expect(warnOfOldNode).not.toThrow();
  });
});

describe('the guide to an error', () => {
  it('is the file of the package without a site', () => {
    expect(guideTo('SDK_DEADLINE')).toBe('docs/errors.md#sdk_deadline');
  });

  it('is an address that a log can open where the package has a site', () => {
    vi.stubGlobal('HOMEPAGE', 'https://docs.example.com/sdk/');
    expect(guideTo('SDK_DEADLINE')).toBe('https://docs.example.com/sdk/errors.html#sdk_deadline');
    expect(guideTo('<b>odd</b>')).toBe('https://docs.example.com/sdk/errors.html');
  });
});
