import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/contract/openapi/openapi.ts';
import { cli } from './command-line.ts';

describe('openapi', () => {
  it('prints the document and nothing else', async () => {
    const { code, out, err } = await cli(['openapi']);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  it('takes no argument', async () => {
    const { code, err } = await cli(['openapi', 'x']);
    expect(code).toBe(2);
    expect(err).toContain('openapi does not take "x"');
  });
});
