/** One line of the diagnosis. */
export interface Diagnosis {
  readonly id: string;
  readonly ok: boolean;
  readonly text: string;
  /** The command or the change that mends it; empty where all is well. */
  readonly mend: string;
  /** The service cannot be reached at all. */
  readonly unreachable?: boolean;
}

export function fine(id: string, text: string): Diagnosis {
  return { id, ok: true, text, mend: '' };
}

export function wrong(id: string, text: string, mend: string): Diagnosis {
  return { id, ok: false, text, mend };
}
