import { checkCallbacks, checkOptions, configurationFail } from './checks.ts';
import {
  CLIENT_NAMES,
  type ClientOverrides,
  checkApiKey,
  checkBaseUrl,
  checkFunctions,
  checkQueryNames,
  checkWebhookSecrets,
  fail,
  type MerchantClientOptions,
  OVERRIDE_NAMES,
} from './client-options.ts';
import { readDialectFile, valuesOf } from './dialect-file/dialect-file.ts';
import { expectedDrift, queryPins, type ReceiverPins, receiverPins } from './dialect-file/pins.ts';
import { DialectWatch } from './transport/drift/dialect-watch.ts';
import { StrictDrift } from './transport/drift/strict-drift.ts';
import { DriftReporter, Observer } from './transport/observe/observer.ts';
import { checkHeaders, readCallOptions, readClientSettings } from './transport/read-options.ts';
import { runtimeOf } from './transport/runtime.ts';
import type { ClientCore } from './transport/scope.ts';
import { type ApiKey, apiKeySource, keyProblem } from './transport/secrecy/api-key.ts';
import { Redactor } from './transport/secrecy/redact.ts';
import { KeyedLimits } from './transport/throttle.ts';
import { Transport } from './transport/transport.ts';
import { parseSecrets } from './webhooks/verify/signature.ts';

const NO_PINS = { query: {}, receiver: {} };

type Secrets = readonly (string | Uint8Array)[];

/** The parts of a client. A client of {@link MerchantClient.withOptions} shares most of them with the first one. */
export class ClientParts {
  readonly core: ClientCore;
  readonly secrets: Secrets;
  /** The service's names of the withdrawals query. */
  readonly queryNames: Readonly<Record<string, string>>;
  /** The options of the receiver that the dialect file pins. */
  readonly pins: ReceiverPins;
  readonly #apiKey: ApiKey;
  readonly #limits: KeyedLimits;

  private constructor(
    core: ClientCore,
    secrets: Secrets,
    { queryNames, pins }: Pick<ClientParts, 'queryNames' | 'pins'>,
    apiKey: ApiKey,
    limits: KeyedLimits,
  ) {
    this.core = core;
    this.secrets = secrets;
    this.queryNames = queryNames;
    this.pins = pins;
    this.#apiKey = apiKey;
    this.#limits = limits;
  }

  /** @throws ConfigurationError for an unusable option. */
  static read(options: MerchantClientOptions): ClientParts {
    checkOptions('options', options, CLIENT_NAMES, fail);
    checkFunctions(options.hooks, 'hooks', ['onRequest', 'onResponse', 'onRetry', 'onError', 'onEnd'], true);
    checkFunctions(options.logger, 'logger', ['debug', 'info', 'warn', 'error'], false);
    checkFunctions(options.runtime, 'runtime', ['now', 'monotonic', 'random', 'timer'], true);
    const { onDrift, dialect } = options;
    checkCallbacks({ fetch: options.fetch, ...(onDrift !== 'throw' && { onDrift }) }, fail);
    const file = dialect === undefined ? null : readDialectFile(dialect, fail);
    const baseUrl = checkBaseUrl(options.baseUrl, options.allowHttp === true);
    const apiKey = checkApiKey(options.apiKey);
    const secrets = checkWebhookSecrets(options.webhookSecret);
    const { budget, settings } = readClientSettings(options, fail);
    const headers = checkHeaders(options.headers, 'headers', fail);
    const redactor = new Redactor(textsOf(secrets, apiKey));
    const runtime = runtimeOf(options.runtime);
    // Looked up at each call, so that a tool that replaces the platform's fetch later is seen.
    const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const limits = new KeyedLimits(budget, runtime);
    const core: ClientCore = {
      transport: new Transport({ fetch, baseUrl, headers, redactor }),
      readKey: apiKeySource(apiKey, redactor),
      runtime,
      ...limits.of(apiKey),
      observer: options.hooks || options.logger ? new Observer(options.hooks ?? {}, options.logger ?? {}) : null,
      redactor,
      drift:
        onDrift === 'throw'
          ? new StrictDrift(file === null ? new Set() : expectedDrift(file), redactor)
          : onDrift === undefined
            ? null
            : new DriftReporter(onDrift, redactor),
      watch: file === null || onDrift === undefined ? null : watchOf(valuesOf(file), onDrift === 'throw'),
      settings,
    };
    const pins = file === null ? NO_PINS : { query: queryPins(file, fail), receiver: receiverPins(file, fail) };
    const queryNames = checkQueryNames(options.withdrawalQuery, pins.query);
    return new ClientParts(core, secrets, { queryNames, pins: pins.receiver }, apiKey, limits);
  }

  /** Returns the parts of a client with other options. */
  with(options: ClientOverrides): ClientParts {
    const refuse = configurationFail('MerchantClient.withOptions');
    const { headers, ...settings } = readCallOptions(this.core.settings, options, OVERRIDE_NAMES, refuse);
    // Also where a getter of a class gives it.
    const isOther = 'apiKey' in options;
    const { apiKey = isOther ? undefined : this.#apiKey, webhookSecret } = options;
    if (apiKey === undefined) return refuse('apiKey is undefined: leave it out to keep the key of this client');
    const problem = typeof apiKey === 'function' ? null : keyProblem(apiKey);
    if (problem !== null) refuse(`apiKey ${problem}`);
    const given = webhookSecret === undefined ? [] : parseSecrets(webhookSecret, 'webhookSecret', refuse);
    // The deliveries of one business must not pass as those of another.
    const kept = isOther ? [] : this.secrets;
    const { core } = this;
    // A separate redactor, because one remembers only the latest keys of a function.
    const redactor = core.redactor.with(textsOf(given, apiKey));
    const derived: ClientCore = {
      ...core,
      transport: core.transport.with(headers, redactor),
      readKey: apiKeySource(apiKey, redactor),
      ...this.#limits.of(apiKey),
      redactor,
      drift: core.drift?.with(redactor) ?? null,
      settings: { ...settings, headers: {} },
    };
    return new ClientParts(derived, webhookSecret === undefined ? kept : given, this, apiKey, this.#limits);
  }
}

/** The rules of the probe have a fifth of the size of the client, so only a client that compares loads them. */
function watchOf(values: Readonly<Record<string, string | number>>, isStrict: boolean): DialectWatch {
  const load = () => import('./probe/strict/departures.ts').then(({ departureReader }) => departureReader(values));
  return new DialectWatch(load, isStrict);
}

/** The texts that nothing may show. */
function textsOf(secrets: Secrets, apiKey: ApiKey): string[] {
  return [...secrets, apiKey].filter((secret) => typeof secret === 'string');
}
