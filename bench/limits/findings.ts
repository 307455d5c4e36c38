import type { Operation } from '../../src/contract/endpoints.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { readAnswer } from '../../src/transport/read-answer.ts';
import { runtimeOf } from '../../src/transport/runtime.ts';
import { Redactor } from '../../src/transport/secrecy/redact.ts';
import { compare } from './compare.ts';

const SIZES = [10 * 1_024, 1_024 * 1_024, 10 * 1_024 * 1_024];
const redactor = new Redactor(['sk_live_4fQz7Hq2Zx9LmKd83Wb', 'whsec_5Tg8kQp1Rk3Yx6']);

function bodyOf(operation: Operation, size: number): string {
  const items = `[${'{},'.repeat(Math.floor(size / 3) - 60)}{}]`;
  const page = `{"items":${items},"page":1,"per_page":20,"total_items":1,"total_pages":1,"has_next":false,"has_prev":false}`;
  return `{"success":true,"data":${operation.endsWith('.list') && 'item' in endpoints[operation] ? page : items}}`;
}

/** A body of nothing but empty items, read to its error, beside JSON.parse of the same text, which is part of it. */
export async function findings(): Promise<void> {
  const operations = ['invoices.list', 'paymentMethods.list', 'rates.list', 'webhooks.deliveries'] as const;
  for (const operation of operations) {
    for (const size of SIZES) {
      const raw = bodyOf(operation, size);
      const endpoint = endpoints[operation];
      const answer = {
        status: 200,
        headers: new Headers(),
        requestId: null,
        raw,
        cut: false,
        receivedAt: 0,
        broken: false,
        redirected: false,
      };
      const read = (): unknown => {
        const result = readAnswer<unknown>(answer, {
          endpoint,
          data: endpoint.data,
          pageSize: 'item' in endpoint ? 20 : null,
          externalId: null,
          client: { redactor, runtime: runtimeOf({ now: () => 0 }), drift: null },
        });
        if (result.ok) return result.value;
        const context = {
          operation,
          externalId: null,
          attempts: [],
          outcome: 'unknown',
          stoppedBy: 'attempts',
          isWrite: false,
        } as const;
        return result.failure.toError(context);
      };
      const repeats = Math.max(1, Math.round((512 * 1_024) / size));
      await compare(
        `${size / 1_024} KiB of {} as ${operation}`,
        repeats,
        [
          { name: 'JSON.parse', run: () => JSON.parse(raw) },
          { name: `read to its error (${JSON.stringify(read()).length} bytes as JSON)`, run: read },
        ],
        3,
      );
    }
  }
}
