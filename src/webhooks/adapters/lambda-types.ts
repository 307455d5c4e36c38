// The events of AWS as far as they are used, typed by hand: the declarations of this package must not need AWS's types,
// and those of `@types/aws-lambda` must fit.

/**
 * An HTTP event of Lambda: API Gateway v1 (REST APIs, and payload format 1.0), v2 (HTTP APIs, function URLs), or an
 * Application Load Balancer.
 */
export interface LambdaEvent {
  /** `2.0` in the v2 format. */
  readonly version?: string | undefined;
  /** v1 and load balancer. */
  readonly httpMethod?: string | undefined;
  readonly requestContext?: LambdaRequestContext | undefined;
  /** v1: the last value of each header; v2: all values, joined with commas. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** v1, and a load balancer whose target group has multi-value headers on: every value. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  /** Whether `body` is base64 of the bytes, rather than text. */
  readonly isBase64Encoded?: boolean | undefined;
}

/** v2 states the method here; a load balancer has `elb`; v1 has neither. */
export interface LambdaRequestContext {
  /** Not read. The member that the contexts of v1 and v2 share: TypeScript refuses a type that has none of ours. */
  readonly requestId?: string | undefined;
  readonly http?: { readonly method: string } | undefined;
  readonly elb?: object | undefined;
}

/** The answer, in the shape that the event's sender reads. */
export interface LambdaReply {
  statusCode: number;
  /** Absent where the sender reads `multiValueHeaders`. */
  headers?: Record<string, string>;
  /** Only for a load balancer that sent multi-value headers: it ignores `headers` then. */
  multiValueHeaders?: Record<string, string[]>;
  /** Only for a load balancer. */
  statusDescription?: string;
  body: string;
  isBase64Encoded: false;
}
