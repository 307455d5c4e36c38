// `node scripts/session.ts` plays the first session of a newcomer and writes it into docs/sandbox.md. It needs a build.
import { readFileSync, writeFileSync } from 'node:fs';
import { playSession } from './session/session.ts';

const page = new URL('../docs/sandbox.md', import.meta.url);
const text = readFileSync(page, 'utf8');
const { lines, seconds } = await playSession();
writeFileSync(
  page,
  text
    .replace(/(?<=```text session\n)[\s\S]*?(?=```)/, `${lines.join('\n')}\n`)
    .replace(/(?<=The commands take )\d+ s/, `${seconds} s`),
);
