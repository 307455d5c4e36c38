import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { toCommonJs } from '../../scripts/build/common-js.ts';

/** Runs a file of CommonJS next to others, and returns its exports. */
function run(code: string, others: Readonly<Record<string, object>> = {}): Record<string, unknown> {
  const exports: Record<string, unknown> = {};
  runInNewContext(code, {
    exports,
    Promise,
    require: (name: string) => others[name] ?? createRequire(import.meta.url)(name),
  });
  return exports;
}

describe('a built ES module, written as CommonJS', () => {
  it('takes names from other files and gives its own', () => {
    const code = toCommonJs(
      'a.js',
      "import{one,two as other}from'./b.js';\nexport{three as four}from'./b.js';\nconst sum=one+other;class Sum{}\nexport{sum,Sum as Total};",
      false,
    );
    const { sum, four, Total } = run(code, { './b.js': { one: 1, two: 2, three: 3 } });
    expect([sum, four, (Total as { name: string }).name]).toEqual([3, 3, 'Sum']);
  });

  it('keeps the other text as it is, so that the archive stores it once', () => {
    const body = 'function f(){return`import{a}from"b";`}const g=()=>f().length;';
    expect(toCommonJs('a.js', `${body}export{f,g as h};`, false)).toBe(`"use strict";${body}exports.f=f;exports.h=g;`);
  });

  it('loads later what import() names, as Jest can', async () => {
    const { later } = run(toCommonJs('a.js', 'const later=()=>import("./b.js");export{later};', false), {
      './b.js': { found: true },
    });
    expect(await (later as () => Promise<unknown>)()).toEqual({ found: true });
  });

  it('runs a file that is imported for its effect, and lets members of an export change', () => {
    expect(run(toCommonJs('a.js', "import'node:path';const a={b:{c:1}};a.b.c+=1;export{a};", false))['a']).toEqual({
      b: { c: 2 },
    });
  });

  it('marks an entry as a module, for compilers of import', () => {
    const marked = run(toCommonJs('index.js', 'const a=1;export{a};', true));
    expect([Object.keys(marked), marked['__esModule'], String(marked)]).toEqual([['a'], true, '[object Module]']);
  });

  it.each([
    ['a default import', "import a from'decimal.js';export{a};"],
    ['a namespace', "import*as a from'./b.js';export{a};"],
    ['all exports of a file', "export*from'./b.js';"],
    ['import.meta', 'const a=import.meta.url;export{a};'],
    ['an export that is assigned again', 'let a=1;const b=()=>{a=2};export{a,b};'],
    ['an export that is counted', 'let a=1;const b=()=>a++;export{a,b};'],
    ['an export that a loop assigns', 'let a=0;const b=(c)=>{for(a of c);};export{a,b};'],
    ['a default expression', 'export default 1;'],
    ['an exported declaration', 'export const a=1;'],
    ['a name that is no variable', "const a=1;export{a as'a-b'};"],
    ['an export in a pattern', 'let a;const b=(c)=>{[,{d:a}]=c};export{a,b};'],
  ])('is refused with %s', (_, code) => {
    expect(() => toCommonJs('a.js', code, false)).toThrow(/CommonJS|only names/);
  });
});
