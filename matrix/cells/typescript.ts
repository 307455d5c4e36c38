import type { Cell, Group } from '../engine/cell.ts';

const COMPILERS = { ts54: '5.4.5', ts55: '5.5.4', ts59: '5.9.3', ts60: '6.0.3', ts70: '7.0.2' };
const NODE_TYPES = { n18: '18.19.130', n20: '20.19.43', n22: '22.20.5', n24: '24.19.2', n26: '26.6.6' };
const RESOLUTIONS = ['nodenext ESM', 'nodenext CommonJS', 'node16', 'bundler', 'node10'];

const PROJECT = 'typescript';
const FILES = ['shop', 'misuse', 'exported'];

interface Choice {
  readonly compiler: string;
  readonly resolution: string;
  readonly library: 'dom' | 'es';
  /** The alias of Node's types, or `none`. */
  readonly types: string;
  readonly files?: readonly string[];
}

const titleOf = (alias: string) => alias.replace(/^ts(\d)(\d)$/, '$1.$2').replace(/^n(\d+)$/, '@types/node $1');

function compile({ compiler, resolution, library, types, files = FILES }: Choice): Cell {
  const libraries = `${library === 'dom' ? 'DOM' : 'no DOM'}, ${types === 'none' ? 'no @types/node' : titleOf(types)}`;
  const subject = files === FILES ? '' : `${files.join()}, `;
  const uses = [compiler, ...(types === 'none' ? [] : [types])];
  return {
    name: `${titleOf(compiler)}, ${resolution}, ${subject}${libraries}`,
    project: PROJECT,
    uses,
    run: ['node', 'compile.mjs', compiler, resolution, library, types, ...files],
  };
}

const everyResolution = Object.keys(COMPILERS).flatMap((compiler) =>
  RESOLUTIONS.filter((resolution) => resolution !== 'node10' || compiler !== 'ts70').flatMap((resolution): Cell[] => [
    compile({ compiler, resolution, library: 'dom', types: 'none' }),
    compile({ compiler, resolution, library: 'es', types: 'n24' }),
  ]),
);

/** Node's types with and without the DOM library, which declare the same names twice. */
const everyNode = ['ts54', 'ts60', 'ts70'].flatMap((compiler) =>
  Object.keys(NODE_TYPES).flatMap((types): Cell[] => [
    compile({ compiler, resolution: 'bundler', library: 'dom', types }),
    ...(types === 'n18' || types === 'n26' ? [compile({ compiler, resolution: 'bundler', library: 'es', types })] : []),
  ]),
);

const msw = ['ts59', 'ts60', 'ts70'].flatMap((compiler) =>
  ['nodenext ESM', 'bundler'].map((resolution) =>
    compile({ compiler, resolution, library: 'dom', types: 'n24', files: ['msw'] }),
  ),
);

/** Compilers, resolutions and libraries, always strict and with the declarations of the package checked. */
export const typescript: Group = {
  name: 'types',
  projects: [
    {
      name: PROJECT,
      dependencies: {
        ...Object.fromEntries(Object.entries(COMPILERS).map(([name, version]) => [name, `npm:typescript@${version}`])),
        ...Object.fromEntries(
          Object.entries(NODE_TYPES).map(([name, version]) => [name, `npm:@types/node@${version}`]),
        ),
        msw: '3.0.5',
      },
    },
  ],
  cells: [...everyResolution, ...everyNode, ...msw],
};
