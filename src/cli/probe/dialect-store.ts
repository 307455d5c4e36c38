import { existsSync } from 'node:fs';
import { type DialectFile, readDialectFile, valuesOf } from '../../dialect-file/dialect-file.ts';
import { type Dialect, dialectFrom } from '../../sandbox/dialect/dialects.ts';
import { shellWord } from '../../sandbox/page/deliveries/copies.ts';
import { messageOf, misuse } from '../io.ts';
import { writeAtomically } from '../write-atomically.ts';

/** The file of a command without --file. */
export const DIALECT_PATH = 'merchant-invoicing.dialect.json';

/** Reads a dialect file and checks each of its points. @throws CliError which names what is wrong. */
export function loadDialect(path: string, fix: string): DialectFile {
  const fail = (problem: string): never => {
    throw misuse(`${path}: ${problem}`, fix);
  };
  const file = readDialectFile(path, fail);
  try {
    dialectFrom(valuesOf(file) as Partial<Dialect>); // refuses what is not in the table
  } catch (error) {
    fail(messageOf(error));
  }
  return file;
}

/** Reads the file that is to be added to, or null if it does not exist yet. */
export function loadEarlier(path: string): DialectFile | null {
  return existsSync(path) ? loadDialect(path, `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`) : null;
}

/** Replaces the file in one step. */
export function saveDialect(path: string, file: DialectFile): void {
  try {
    writeAtomically(path, `${JSON.stringify(file, null, 2)}\n`);
  } catch (error) {
    throw misuse(`${path} cannot be written: ${messageOf(error)}`, 'npx merchant-invoicing probe --file FILE');
  }
}
