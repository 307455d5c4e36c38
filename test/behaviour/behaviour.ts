import type { Stage } from './stage.ts';

/** One thing that a merchant relies on, whatever the dialect. Gets a stage of its own. */
export interface Behaviour {
  readonly name: string;
  run(stage: Stage): Promise<void>;
}
