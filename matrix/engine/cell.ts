/** A project that cells run in: a temporary folder with exact versions of packages, files, and the packed tarball. */
export interface Project {
  readonly name: string;
  /** Exact versions by name, or aliases such as `npm:express@4.22.1`. Without a range. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** Further members of its package.json. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Packages whose install scripts run, because the scripts put a program in its place. */
  readonly scripts?: readonly string[];
  /** Whether the packed tarball is installed by the cells themselves. */
  readonly isBare?: boolean;
}

/** One combination of runtime, tool and module form. */
export interface Cell {
  readonly name: string;
  /** The name of its project. */
  readonly project: string;
  /** The dependencies of the project that it needs. Their versions are printed, and the short form links only these. */
  readonly uses: readonly string[];
  /** The program and its arguments. `node` is the Node of this process, `node20` the dependency of that name. */
  readonly run: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Part of `--short`: quick, and all that it uses is a development dependency of the repository. */
  readonly isShort?: boolean;
  /** Anything on stderr fails the cell. */
  readonly isQuiet?: boolean;
  /** Why it cannot run on this machine, or null. */
  readonly skip?: () => string | null;
  /** Seconds. @defaultValue 600 */
  readonly limit?: number;
}

/** Cells of one kind, with the projects that they run in. */
export interface Group {
  readonly name: string;
  readonly projects: readonly Project[];
  readonly cells: readonly Cell[];
}

/** How a cell ended. */
export interface Result {
  readonly group: string;
  readonly cell: Cell;
  readonly state: 'works' | 'fails' | 'skipped';
  /** Exact versions, such as `express 4.22.1`. */
  readonly versions: readonly string[];
  /** The reason of a skipped cell, or the output of a failed one. */
  readonly detail: string;
  readonly seconds: number;
}
