import { readArguments } from './arguments.ts';
import { EXIT, type ExitCode, type Io, misuse } from './io.ts';

/** `openapi`: the service as OpenAPI 3.1, made from the table that client and sandbox use. */
export async function openapiCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { positionals } = readArguments(args, {}, 'openapi');
  if (positionals.length > 0) {
    throw misuse(
      `openapi does not take ${JSON.stringify(positionals[0])}`,
      'merchant-invoicing openapi > openapi.json',
    );
  }
  const { openApiDocument } = await import('../contract/openapi/openapi.ts');
  io.out(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
  return EXIT.fine;
}
