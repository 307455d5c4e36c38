import { styleText } from 'node:util';

/**
 * Prints the story and counts its claims. A claim that does not hold ends the
 * story.
 */
export class Transcript {
  #proved = 0;

  chapter(title: string): void {
    console.log(`\n${styleText('bold', title)}`);
  }

  say(line: string): void {
    console.log(`  ${line}`);
  }

  /** Prints a claim. Throws if it does not hold. */
  prove(claim: string, holds: boolean): void {
    if (!holds) throw new Error(`not true: ${claim}`);
    this.#proved += 1;
    console.log(`  ${styleText('green', '✓')} ${claim}`);
  }

  end(): void {
    const total = `${this.#proved} claims proved over real sockets`;
    console.log(`\n${styleText('bold', `${total}, none refuted.`)}`);
  }
}
