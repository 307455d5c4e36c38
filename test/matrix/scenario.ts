/** The CommonJS form of scenario.mjs, which has no imports and exports functions only. */
export function toCommonJs(source: string): string {
  const names = [...source.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name]) => name);
  return `${source.replace(/^export /gm, '')}\nmodule.exports = { ${names.join(', ')} };\n`;
}
