import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Why no browser test can run; null when one can. */
export const NO_CHROMIUM = existsSync(EXECUTABLE)
  ? null
  : `${EXECUTABLE} does not exist: install Chromium (Debian: apt-get install chromium) or set CHROMIUM to its path`;

/** A browser that talks to nobody by itself. */
export function launch(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return chromium.launch({ executablePath: EXECUTABLE, args, headless: true });
}
