import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type ContextManager,
  context,
  metrics,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { register } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Hooks, type Logger, MerchantClient } from '../src/index.ts';
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts';
import type { WebhookReport } from '../src/webhooks/index.ts';

// The recipes of docs/observability.md, run as they are printed, over the sources.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'coverage', 'observability');
const page = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8');
const source = (path: string) => pathToFileURL(join(ROOT, 'src', path)).href;

/** Imports the block that begins with the name of its file. */
async function recipe(file: string): Promise<Record<string, unknown>> {
  const code = new RegExp(`\`\`\`ts\\n// ${file}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
  const place = join(FOLDER, file);
  const entries = code
    .replaceAll(`'merchant-invoicing/webhooks'`, `'${source('webhooks/index.ts')}'`)
    .replaceAll(`'merchant-invoicing'`, `'${source('index.ts')}'`);
  writeFileSync(place, entries);
  return (await import(pathToFileURL(place).href)) as Record<string, unknown>;
}

const order = { external_id: 'order-1', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };
let sandbox: Sandbox;
const clientWith = (options: { hooks?: Hooks; logger?: Logger } = {}) =>
  new MerchantClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    fetch: sandbox.fetch,
    retry: { baseDelay: 0 },
    ...options,
  });

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  process.env['MERCHANT_BASE_URL'] = 'https://pay.example';
  process.env['MERCHANT_API_KEY'] = 'key';
});
afterAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  delete process.env['MERCHANT_BASE_URL'];
  delete process.env['MERCHANT_API_KEY'];
});
beforeEach(() => {
  sandbox = createSandbox({ seed: 1 });
});

describe('the OpenTelemetry recipe', () => {
  const spans = new InMemorySpanExporter();
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });

  beforeAll(async () => {
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
    const { contextManager, observeMerchant } = (await recipe('telemetry.ts')) as {
      contextManager: ContextManager;
      observeMerchant(): void;
    };
    context.setGlobalContextManager(contextManager);
    observeMerchant();
  });
  afterAll(async () => {
    await reader.shutdown();
    trace.disable();
    metrics.disable();
    context.disable();
  });
  beforeEach(() => spans.reset());

  const parentOf = (span: ReadableSpan | undefined) =>
    spans.getFinishedSpans().find((other) => other.spanContext().spanId === span?.parentSpanContext?.spanId);

  it('makes INTERNAL spans: a call below the surrounding span, its attempts below the call', async () => {
    sandbox.faults.next('server_error');
    const outer = trace.getTracer('shop').startSpan('checkout');
    await context.with(trace.setSpan(ROOT_CONTEXT, outer), () => clientWith().invoices.create(order));
    outer.end();
    const [first, second, call, checkout] = spans.getFinishedSpans();
    const names = [first, second, call, checkout].map((span) => span?.name);
    expect(names).toEqual(['invoices.create attempt', 'invoices.create attempt', 'invoices.create', 'checkout']);
    expect([first, second].map(parentOf)).toEqual([call, call]);
    expect(parentOf(call)).toBe(checkout);
    for (const span of spans.getFinishedSpans()) expect(span.kind).toBe(SpanKind.INTERNAL);
    const { hostname } = new URL(sandbox.url);
    expect(first).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 503,
        'server.address': hostname,
        'error.type': 'SERVICE_UNAVAILABLE',
      },
    });
    expect(first?.attributes).not.toHaveProperty('http.request.resend_count');
    expect(second?.attributes).toMatchObject({ 'http.request.resend_count': 1, 'http.response.status_code': 201 });
    expect(call).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { 'merchant_invoicing.external_id': 'order-1', 'merchant_invoicing.attempts': 2 },
    });
  });

  it('measures by operation and never by order', async () => {
    await clientWith().invoices.get('no-such-order').result();
    await reader.forceFlush();
    const found = measured.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    const attributesOf = (name: string): object[] =>
      found
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap((metric): object[] => [...metric.dataPoints].map(({ attributes }) => attributes));
    expect(
      found.filter(({ descriptor }) => descriptor.name.endsWith('.duration')).map((m) => m.descriptor.unit),
    ).toContain('s');
    expect(attributesOf('merchant_invoicing.call.duration')).toContainEqual({
      'merchant_invoicing.operation': 'invoices.get',
      'error.type': 'NOT_FOUND',
    });
    expect(attributesOf('http.client.request.duration')).toContainEqual(
      expect.objectContaining({
        'http.request.method': 'GET',
        'http.response.status_code': 404,
        'error.type': 'NOT_FOUND',
      }),
    );
    expect(JSON.stringify(found)).not.toMatch(/order-1|no-such-order/);
  });
});

describe('the pino recipe', () => {
  it('writes a line with the call and the order', async () => {
    const { logger, log } = (await recipe('pino-logger.ts')) as { logger: Logger; log: object };
    const lines: string[] = [];
    const stream = Object.getOwnPropertySymbols(log).find(({ description }) => description === 'pino.stream');
    if (stream === undefined) return expect.fail('pino has no stream');
    Reflect.set(log, stream, { write: (line: string) => void lines.push(line) });
    await clientWith({ logger }).invoices.get('no-such-order').result();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 40,
        msg: 'invoices.get: NOT_FOUND, outcome rejected',
        externalId: 'no-such-order',
        callId: expect.any(String),
        expected: true,
      },
    ]);
  });
});

describe('the Prometheus recipe', () => {
  it('counts calls, retries and reports', async () => {
    const { hooks, onReport } = (await recipe('prometheus.ts')) as {
      hooks: Hooks;
      onReport(report: Pick<WebhookReport, 'reason'>): void;
    };
    sandbox.faults.next('server_error');
    await clientWith({ hooks }).rates.list();
    await clientWith({ hooks }).invoices.get('no-such-order').result();
    onReport({ reason: 'signature_mismatch' });
    const text = await register.metrics();
    const name = 'merchant_invoicing_call_duration_seconds_count';
    expect(text).toContain(`${name}{operation="rates.list",code="ok",expected="false"} 1`);
    expect(text).toContain(`${name}{operation="invoices.get",code="NOT_FOUND",expected="true"} 1`);
    expect(text).toContain('merchant_invoicing_retries_total{operation="rates.list",code="SERVICE_UNAVAILABLE"} 1');
    expect(text).toContain('merchant_invoicing_webhook_reports_total{reason="signature_mismatch"} 1');
  });
});
