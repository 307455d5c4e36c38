import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3.5" fill="#3a4454"/><path d="M4.5 4.5h7M4.5 8h7M4.5 11.5h4" stroke="#fff" stroke-width="1.5" stroke-linecap="round"/></svg>`;

/** The files that the pages load: path, type and content. */
export const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/assets/sandbox.css': ['text/css; charset=utf-8', STYLE],
  '/assets/sandbox.js': ['text/javascript; charset=utf-8', SCRIPT],
  '/assets/icon.svg': ['image/svg+xml', ICON],
};
