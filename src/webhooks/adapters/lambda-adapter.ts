import { ConfigurationError } from '../../errors/classes.ts';
import { bodyGone, type RawBody, tooLarge } from '../body.ts';
import { base64ToBytes } from '../crypto.ts';
import type { WebhookReply } from '../handle/reply.ts';
import type { WebhookRequest } from '../handler.ts';
import { type HandlerSource, handleOf } from './lazy-handler.ts';

// The parts of AWS's events that the adapter uses, typed by hand. The declarations of this package must not need AWS's
// types, and those of `@types/aws-lambda` must fit.

/**
 * An HTTP event of Lambda: API Gateway v1 (REST APIs, and payload format 1.0), v2 (HTTP APIs, function URLs), an
 * Application Load Balancer, or VPC Lattice.
 */
export interface LambdaEvent {
  /** `2.0` in the v2 format. */
  readonly version?: string | undefined;
  /** v1 and load balancer. */
  readonly httpMethod?: string | undefined;
  /** VPC Lattice. */
  readonly method?: string | undefined;
  /** What distinguishes the formats. */
  readonly requestContext?: LambdaRequestContext | undefined;
  /** v1: the last value of each header. v2: all values, joined with commas. VPC Lattice v2: a list of values. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | null | undefined;
  /** v1, and a load balancer whose target group has multi-value headers on: every value. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  /** Null or absent for an empty body. */
  readonly body?: string | null | undefined;
  /** Whether `body` is base64 of the bytes, rather than text. */
  readonly isBase64Encoded?: boolean | undefined;
  /** The same in VPC Lattice v1. */
  readonly is_base64_encoded?: boolean | undefined;
}

/** The member that distinguishes the formats: v2 has `http`, a load balancer has `elb`, v1 has neither. */
export interface LambdaRequestContext {
  /** Not read. The member that the contexts of v1 and v2 share: TypeScript refuses a type without a common member. */
  readonly requestId?: string | undefined;
  readonly http?: { readonly method: string } | undefined;
  readonly elb?: object | undefined;
}

/** The response, in the shape that the event's sender reads. */
export interface LambdaReply {
  /** HTTP status. */
  statusCode: number;
  /** Absent where the sender reads `multiValueHeaders`. */
  headers?: Record<string, string>;
  /** Only for a load balancer that sent multi-value headers: it ignores `headers` then. */
  multiValueHeaders?: Record<string, string[]>;
  /** One fixed word, as in {@link WebhookReply}. */
  body: string;
  isBase64Encoded: false;
}

/**
 * The handler as a Lambda function behind API Gateway v1 or v2, a function URL, an Application Load Balancer or VPC
 * Lattice. An event without a request (a schedule, a test in the console) is answered 500 and reported as `setup`.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) from the returned function, only for an event of a queue or of
 * EventBridge. Nobody reads a response there. The message is deleted if the function returns, and kept if it throws.
 *
 * Give the function a time limit above the handler's `timeout`: Lambda's default of 3 seconds would end it first.
 *
 * @example
 * export const handler = toLambdaHandler(createWebhookHandler({ secret, store, onPaid, onAdjusted, onCanceled }));
 * @param handler The handler, or a function that makes it at the first event.
 */
export function toLambdaHandler(handler: HandlerSource): (event: LambdaEvent) => Promise<LambdaReply> {
  const handle = handleOf(handler, 'toLambdaHandler');
  return async (event) => {
    // The type of the event is no promise: the function may be invoked with anything.
    const {
      httpMethod,
      requestContext,
      multiValueHeaders,
      method: ofLattice,
    } = (event as LambdaEvent | null | undefined) ?? {};
    const method = requestContext?.http?.method ?? httpMethod ?? ofLattice;
    const fromQueue = isFromQueue(event);
    const reply = await handle({
      method: method ?? 'POST',
      headers: method === undefined ? {} : headersOf(event),
      body: async (limit) => {
        if (fromQueue) throw FROM_QUEUE();
        if (method === undefined) throw wrongEvent('The event has no HTTP method');
        return bodyOf(event, limit);
      },
    });
    if (fromQueue) throw FROM_QUEUE();
    const isBalancer = (requestContext?.elb ?? null) !== null;
    return replyTo(isBalancer && (multiValueHeaders ?? null) !== null, reply);
  };
}

/**
 * True for the event of a queue (SQS, SNS, Kinesis: `Records`; Amazon MQ and Kafka: `eventSource`), of EventBridge Pipes (a
 * list) or of EventBridge. A schedule of it has no delivery.
 */
function isFromQueue(event: unknown): boolean {
  if (typeof event !== 'object' || event === null) return false;
  if ((Array.isArray(event) && event.length > 0) || 'eventSource' in event) return true;
  const type = 'detail-type' in event ? event['detail-type'] : undefined;
  return ('Records' in event && Array.isArray(event.Records)) || (type !== undefined && type !== 'Scheduled Event');
}

const FROM_QUEUE = () =>
  new ConfigurationError(
    'toLambdaHandler got the event of a queue or of EventBridge, not a request. Verify the webhook where its HTTP request arrives, and put the verified event into the queue. This error keeps the message in the queue.',
  );

/** @param hasLists Whether the sender reads `multiValueHeaders`, and ignores `headers`. */
function replyTo(hasLists: boolean, { status, headers, body }: WebhookReply): LambdaReply {
  const start = { statusCode: status, body, isBase64Encoded: false } as const;
  if (!hasLists) return { ...start, headers: { ...headers } };
  const multiValueHeaders: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(headers)) multiValueHeaders[name] = [value];
  return { ...start, multiValueHeaders };
}

/**
 * The headers of the event. v1 has each header in both members. The list is used, because it shows a repeated
 * header, which the single value hides. A name that only `headers` has, as in events written by hand or by emulators,
 * is kept.
 */
function headersOf({ headers, multiValueHeaders }: LambdaEvent): WebhookRequest['headers'] {
  const lists = Object.entries(multiValueHeaders ?? {});
  const listed = new Set(lists.map(([name]) => name.toLowerCase()));
  const alone = Object.entries(headers ?? {}).filter(([name]) => !listed.has(name.toLowerCase()));
  return Object.fromEntries<string | readonly string[] | undefined>([...alone, ...lists]);
}

function bodyOf(
  { body, is_base64_encoded, isBase64Encoded = is_base64_encoded ?? false }: LambdaEvent,
  limit: number,
): RawBody {
  if (typeof isBase64Encoded !== 'boolean') throw wrongEvent('isBase64Encoded is neither true nor false');
  if (body === null || body === undefined) return new Uint8Array();
  if (typeof body !== 'string') throw bodyGone('parsed', 'lambda');
  if (isBase64Encoded) {
    if (body.length > base64Length(limit)) throw tooLarge(limit);
    if (BASE64.test(body)) return base64ToBytes(body); // lenient decoders would skip what they do not know
    throw wrongEvent('isBase64Encoded is true, but the body is not base64');
  }
  return body;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function wrongEvent(why: string): ConfigurationError {
  return new ConfigurationError(
    `${why}. Lambda: connect this function by a proxy integration (AWS_PROXY), a function URL or a load balancer, and pass its event on unchanged.`,
  );
}
